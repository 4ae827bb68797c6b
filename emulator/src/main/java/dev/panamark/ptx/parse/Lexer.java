package dev.panamark.ptx.parse;

import dev.panamark.ptx.PtxException;
import java.util.ArrayList;
import java.util.List;

/** Cuts a text into tokens; comments and line markers fall away. */
final class Lexer {
    private final String source;
    private final String text;
    private int at;
    private int line = 1;
    private int lineStart;

    Lexer(String source, String text) {
        this.source = source;
        this.text = text;
    }

    List<Token> tokens() {
        List<Token> tokens = new ArrayList<>();
        while (true) {
            skip();
            if (at >= text.length()) {
                tokens.add(new Token(Token.Kind.END, "", line, column(at), at, at));
                return tokens;
            }
            tokens.add(next());
        }
    }

    private int column(int offset) {
        return offset - lineStart + 1;
    }

    private char look(int ahead) {
        return at + ahead < text.length() ? text.charAt(at + ahead) : '\0';
    }

    private void skip() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '\n') {
                newLine();
            } else if (c <= ' ') {
                at++;
            } else if (c == '/' && look(1) == '/') {
                skipLine();
            } else if (c == '/' && look(1) == '*') {
                skipComment();
            } else if (c == '#' && text.substring(lineStart, at).isBlank()) {
                skipLine();
            } else {
                return;
            }
        }
    }

    private void newLine() {
        at++;
        line++;
        lineStart = at;
    }

    private void skipLine() {
        while (at < text.length() && text.charAt(at) != '\n') {
            at++;
        }
    }

    private void skipComment() {
        int openLine = line;
        int openColumn = column(at);
        at += 2;
        while (!(look(0) == '*' && look(1) == '/')) {
            if (at >= text.length()) {
                throw new PtxException(source, openLine, openColumn, "comment without end; expected '*/'");
            }
            if (text.charAt(at) == '\n') {
                newLine();
            } else {
                at++;
            }
        }
        at += 2;
    }

    private Token next() {
        int start = at;
        char c = text.charAt(at);
        if (isNameStart(c)) {
            at++;
            while (isNamePart(look(0))) {
                at++;
            }
            return token(Token.Kind.NAME, start);
        }
        if (c == '.' && isNameStart(look(1))) {
            at++;
            while (isNamePart(look(0)) || (look(0) == ':' && look(1) == ':')) {
                at += look(0) == ':' ? 2 : 1;
            }
            return token(Token.Kind.DOT, start);
        }
        if (isDigit(c)) {
            number();
            return token(Token.Kind.NUMBER, start);
        }
        if (c == '.' && isDigit(look(1))) {
            // A modifier such as .1d or .2d; no number of PTX begins with a dot.
            at++;
            while (isNamePart(look(0)) || (look(0) == ':' && look(1) == ':')) {
                at += look(0) == ':' ? 2 : 1;
            }
            return token(Token.Kind.DOT, start);
        }
        if (c == '"') {
            return string();
        }
        if ("()[]{}<>,;:@!=+-*/|&^~%?".indexOf(c) < 0) {
            throw new PtxException(
                    source,
                    line,
                    column(at),
                    "unexpected character " + (c < 127 ? "'" + c + "'" : "U+" + Integer.toHexString(c)));
        }
        at++;
        return token(Token.Kind.PUNCTUATION, start);
    }

    private void number() {
        boolean hex = look(0) == '0' && "xXfFdD".indexOf(look(1)) >= 0;
        if (hex) {
            at += 2;
            while (isHex(look(0))) {
                at++;
            }
        } else {
            while (isDigit(look(0))) {
                at++;
            }
            if (look(0) == '.' && isDigit(look(1))) {
                at++;
                while (isDigit(look(0))) {
                    at++;
                }
            }
            boolean signed = look(1) == '-' || look(1) == '+';
            if ((look(0) == 'e' || look(0) == 'E') && isDigit(look(signed ? 2 : 1))) {
                at += signed ? 3 : 2;
                while (isDigit(look(0))) {
                    at++;
                }
            }
            if (look(0) == 'b' || look(0) == 'B') {
                at++;
                while (isDigit(look(0))) {
                    at++;
                }
            }
        }
        if (look(0) == 'U' || look(0) == 'u') {
            at++;
        }
    }

    private Token string() {
        int start = at;
        int startLine = line;
        int startColumn = column(at);
        at++;
        while (look(0) != '"') {
            if (at >= text.length() || look(0) == '\n') {
                throw new PtxException(source, startLine, startColumn, "string without end; expected '\"'");
            }
            at += look(0) == '\\' && at + 1 < text.length() ? 2 : 1;
        }
        at++;
        return new Token(Token.Kind.STRING, text.substring(start + 1, at - 1), startLine, startColumn, start, at);
    }

    private Token token(Token.Kind kind, int start) {
        return new Token(kind, text.substring(start, at), line, column(start), start, at);
    }

    private static boolean isNameStart(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
    }

    private static boolean isNamePart(char c) {
        return (isNameStart(c) && c != '%') || isDigit(c);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isHex(char c) {
        return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    }
}
