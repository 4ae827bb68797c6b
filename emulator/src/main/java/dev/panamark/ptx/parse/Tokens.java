package dev.panamark.ptx.parse;

import dev.panamark.ptx.PtxException;
import java.util.List;

/** The tokens yet to read. */
final class Tokens {
    private final String source;
    private final List<Token> all;
    private int at;

    Tokens(String source, List<Token> all) {
        this.source = source;
        this.all = all;
    }

    String source() {
        return source;
    }

    boolean atEnd() {
        return peek().kind() == Token.Kind.END;
    }

    Token peek() {
        return peek(0);
    }

    Token peek(int ahead) {
        return all.get(Math.min(at + ahead, all.size() - 1));
    }

    Token next() {
        Token token = peek();
        if (at < all.size() - 1) {
            at++;
        }
        return token;
    }

    boolean accept(String punctuation) {
        if (peek().is(punctuation)) {
            next();
            return true;
        }
        return false;
    }

    boolean acceptDot(String word) {
        if (peek().isDot(word)) {
            next();
            return true;
        }
        return false;
    }

    Token expect(String punctuation) {
        Token token = peek();
        if (!token.is(punctuation)) {
            throw fault(token, token.shown() + "; expected '" + punctuation + "'");
        }
        return next();
    }

    Token expect(Token.Kind kind, String what) {
        Token token = peek();
        if (token.kind() != kind) {
            throw fault(token, token.shown() + "; expected " + what);
        }
        return next();
    }

    Token name(String what) {
        return expect(Token.Kind.NAME, what);
    }

    Position position(Token token) {
        return new Position(token.line(), token.column());
    }

    PtxException fault(Token token, String fault) {
        return new PtxException(source, token.line(), token.column(), fault);
    }
}
