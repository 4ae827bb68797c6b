package dev.panamark.ptx.parse;

import dev.panamark.ptx.parse.Syntax.Address;
import dev.panamark.ptx.parse.Syntax.Group;
import dev.panamark.ptx.parse.Syntax.Int;
import dev.panamark.ptx.parse.Syntax.Name;
import dev.panamark.ptx.parse.Syntax.Not;
import dev.panamark.ptx.parse.Syntax.Operand;
import dev.panamark.ptx.parse.Syntax.Pair;
import dev.panamark.ptx.parse.Syntax.Real;
import dev.panamark.ptx.parse.Syntax.Sink;
import dev.panamark.ptx.parse.Syntax.Sum;
import dev.panamark.ptx.parse.Syntax.Tuple;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Operands and constants. */
final class OperandParser {
    private static final int DEEPEST = 50;

    private final Tokens tokens;
    private int depth;

    OperandParser(Tokens tokens) {
        this.tokens = tokens;
    }

    Operand operand() {
        if (++depth > DEEPEST) {
            throw tokens.fault(tokens.peek(), "operands are nested deeper than " + DEEPEST);
        }
        Operand operand = single();
        if (tokens.peek().is("|")) {
            Position at = tokens.position(tokens.next());
            operand = new Pair(operand, single(), at);
        }
        depth--;
        return operand;
    }

    private Operand single() {
        Token token = tokens.peek();
        Position at = tokens.position(token);
        if (tokens.accept("[")) {
            return address(at);
        }
        if (tokens.accept("{")) {
            return new Tuple(list("}"), at);
        }
        if (tokens.accept("(")) {
            return new Group(list(")"), at);
        }
        if (tokens.accept("!")) {
            return new Not(operand(), at);
        }
        if (token.kind() == Token.Kind.NAME && token.text().equals("_")) {
            tokens.next();
            return new Sink(at);
        }
        return constant();
    }

    private List<Operand> list(String end) {
        List<Operand> parts = new ArrayList<>();
        while (!tokens.accept(end)) {
            if (!parts.isEmpty()) {
                tokens.expect(",");
            }
            parts.add(operand());
        }
        return List.copyOf(parts);
    }

    private Address address(Position at) {
        Address address;
        if (tokens.peek().kind() == Token.Kind.NAME) {
            Name base = name();
            long offset = 0;
            while (tokens.peek().is("+") || tokens.peek().is("-")) {
                boolean minus = tokens.next().is("-");
                long value = integer();
                offset += minus ? -value : value;
            }
            List<Operand> coordinates = List.of();
            if (tokens.accept(",")) {
                coordinates = List.of(operand());
            }
            address = new Address(base, offset, coordinates, at);
        } else {
            address = new Address(null, integer(), List.of(), at);
        }
        tokens.expect("]");
        return address;
    }

    /** The same, or {@code generic(variable)}: of variables of global memory that is their address anyway. */
    Operand initial() {
        Token token = tokens.peek();
        if (!token.text().equals("generic") || !tokens.peek(1).is("(")) {
            return constant();
        }
        tokens.next();
        tokens.next();
        Name base = name();
        tokens.expect(")");
        return new Sum(base, offset(), tokens.position(token));
    }

    /** A name, a number, or a variable and an offset. */
    private Operand constant() {
        Token token = tokens.peek();
        Position at = tokens.position(token);
        if (token.kind() == Token.Kind.NAME) {
            Name base = name();
            return tokens.peek().is("+") || tokens.peek().is("-") ? new Sum(base, offset(), at) : base;
        }
        if (token.is("-")
                && tokens.peek(1).kind() == Token.Kind.NUMBER
                && isReal(tokens.peek(1).text())) {
            tokens.next();
            Real real = real(tokens.next(), at);
            return new Real(real.bits() ^ (real.width() == 32 ? 1L << 31 : 1L << 63), real.width(), at);
        }
        if (token.kind() == Token.Kind.NUMBER && isReal(token.text())) {
            return real(tokens.next(), at);
        }
        return new Int(integer(), at);
    }

    private long offset() {
        long sum = 0;
        while (tokens.peek().is("+") || tokens.peek().is("-")) {
            boolean minus = tokens.next().is("-");
            sum += minus ? -integer() : integer();
        }
        return sum;
    }

    private Name name() {
        Token token = tokens.name("a register, a name or a number");
        Token next = tokens.peek();
        String component = "";
        if (next.kind() == Token.Kind.DOT && next.offset() == token.end()) {
            component = tokens.next().text().substring(1);
        }
        return new Name(token.text(), component, tokens.position(token));
    }

    /** An integer with sign, complement and the operators that compilers write. */
    long integer() {
        boolean minus = false;
        boolean complement = false;
        while (tokens.peek().is("-") || tokens.peek().is("+") || tokens.peek().is("~")) {
            String sign = tokens.next().text();
            // -(~x) is x+1: no compiler writes two signs, so the second is a fault.
            if (complement || (minus && !sign.equals("+"))) {
                throw tokens.fault(tokens.peek(), "'" + sign + "' after a sign; expected a number");
            }
            minus = sign.equals("-");
            complement = sign.equals("~");
        }
        long value = unsigned();
        return minus ? -value : complement ? ~value : value;
    }

    private long unsigned() {
        Token token = tokens.expect(Token.Kind.NUMBER, "a number");
        String digits = token.text().replaceFirst("[uU]$", "").toLowerCase(Locale.ROOT);
        try {
            return parse(digits);
        } catch (NumberFormatException e) {
            throw tokens.fault(token, token.shown() + "; expected an integer of at most 64 bits");
        }
    }

    private static long parse(String digits) {
        int radix = 10;
        String rest = digits;
        if (digits.startsWith("0x")) {
            radix = 16;
            rest = digits.substring(2);
        } else if (digits.startsWith("0b")) {
            radix = 2;
            rest = digits.substring(2);
        } else if (digits.length() > 1 && digits.startsWith("0")) {
            radix = 8;
            rest = digits.substring(1);
        }
        BigInteger value = new BigInteger(rest, radix);
        if (value.bitLength() > 64) {
            throw new NumberFormatException();
        }
        return value.longValue();
    }

    private static boolean isReal(String number) {
        String lower = number.toLowerCase(Locale.ROOT);
        return lower.startsWith("0f")
                || lower.startsWith("0d")
                || (!lower.startsWith("0x") && (lower.contains(".") || lower.contains("e")));
    }

    private Real real(Token token, Position at) {
        String lower = token.text().toLowerCase(Locale.ROOT);
        if (lower.startsWith("0f") || lower.startsWith("0d")) {
            int width = lower.startsWith("0f") ? 32 : 64;
            String digits = lower.substring(2);
            if (digits.length() != width / 4) {
                throw tokens.fault(token, token.shown() + "; expected " + width / 4 + " hexadecimal digits");
            }
            try {
                return new Real(Long.parseUnsignedLong(digits, 16), width, at);
            } catch (NumberFormatException e) {
                throw tokens.fault(token, token.shown() + "; expected hexadecimal digits");
            }
        }
        try {
            return new Real(Double.doubleToRawLongBits(Double.parseDouble(lower)), 64, at);
        } catch (NumberFormatException e) {
            throw tokens.fault(token, token.shown() + "; expected a number such as 1.5 or 2e-3");
        }
    }
}
