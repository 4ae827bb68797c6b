package dev.panamark.ptx;

import static dev.panamark.ptx.Reference.operands;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Integers and bits with whole numbers of any size, by the descriptions of the PTX ISA 9.0. */
final class WholeReferences {
    private static final BigInteger ONE = BigInteger.ONE;
    private static final BigInteger ZERO = BigInteger.ZERO;

    private final Opcode opcode;
    private final String type;
    private final Operand operand;
    private final int bits;

    private WholeReferences(Opcode opcode) {
        this.opcode = opcode;
        this.type = opcode.type();
        this.operand = Operand.of(type);
        this.bits = operand.bits();
    }

    /** Null where the opcode is of another kind. */
    static @Nullable Reference of(Opcode opcode) {
        String type = opcode.type();
        if (type.isEmpty()
                || Operand.isReal(type)
                || (Operand.isPacked(type) && !type.endsWith("16x2"))
                || type.endsWith("f16x2")) {
            return null;
        }
        return new WholeReferences(opcode).reference();
    }

    private @Nullable Reference reference() {
        return switch (opcode.base()) {
            case "add", "sub", "min", "max", "div", "rem", "mul" ->
                opcode.has("cc") ? carried(false) : opcode.type().endsWith("x2") ? pairs() : binary();
            case "mad", "sad" -> opcode.has("cc") ? carried(false) : ternary();
            case "addc", "subc", "madc" -> carried(true);
            case "mul24", "mad24" -> product24();
            case "and", "or", "xor" -> logic();
            case "neg", "abs", "not", "cnot", "clz", "popc", "brev", "bfind" -> unary();
            case "shl", "shr" -> shift();
            case "shf" -> funnel();
            case "bfe", "bfi" -> field();
            case "bmsk", "szext" -> mask();
            case "prmt" -> permutation();
            case "lop3" -> tables();
            case "dp4a", "dp2a" -> dot();
            case "fns" -> nth();
            case "mov" -> moved();
            case "selp" ->
                Reference.plain(opcode, type, operands(type, type, "pred"), (a, b, p) -> Expected.bits(p != 0 ? a : b));
            case "slct" ->
                Reference.plain(
                        opcode,
                        opcode.types().getFirst(),
                        operands(opcode.types().getFirst(), opcode.types().getFirst(), "s32"),
                        (a, b, c) -> Expected.bits((int) c >= 0 ? a : b));
            case "setp", "set" -> Comparisons.reference(opcode);
            default -> null;
        };
    }

    private interface Whole {
        BigInteger of(BigInteger a, BigInteger b, BigInteger c);
    }

    private Reference reference(String result, List<Operand> in, Whole of) {
        int width = Operand.bits(result);
        return Reference.plain(
                opcode,
                result,
                in,
                (a, b, c) -> Expected.whole(of.of(whole(in, 0, a), whole(in, 1, b), whole(in, 2, c)), width));
    }

    private static BigInteger whole(List<Operand> in, int i, long bits) {
        return i < in.size() ? in.get(i).whole(bits) : ZERO;
    }

    private static String doubled(String type) {
        return type.charAt(0) + (type.endsWith("16") ? "32" : "64");
    }

    private BigInteger clamped(BigInteger value) {
        BigInteger top = ONE.shiftLeft(bits - 1);
        return value.min(top.subtract(ONE)).max(top.negate());
    }

    private static BigInteger operation(String base, BigInteger a, BigInteger b) {
        return switch (base) {
            case "add" -> a.add(b);
            case "sub" -> a.subtract(b);
            case "min" -> a.min(b);
            case "max" -> a.max(b);
            // Not defined by PTX for 0; devices give all ones, and the dividend.
            case "div" -> b.signum() == 0 ? ONE.negate() : a.divide(b);
            case "rem" -> b.signum() == 0 ? a : a.remainder(b);
            default -> a.multiply(b);
        };
    }

    private Reference binary() {
        String result = opcode.has("wide") ? doubled(type) : type;
        return reference(result, operands(type, type), (a, b, c) -> {
            BigInteger value = operation(opcode.base(), a, b);
            value = opcode.has("hi") ? value.shiftRight(bits) : value;
            value = opcode.has("sat") ? clamped(value) : value;
            return opcode.has("relu") ? value.max(ZERO) : value;
        });
    }

    /** Both halves of a word by themselves. */
    private Reference pairs() {
        Operand half = Operand.of(type.substring(0, 3));
        return Reference.plain(opcode, type, operands(type, type), (a, b, c) -> {
            Expected[] parts = new Expected[2];
            for (int i = 0; i < 2; i++) {
                BigInteger value = operation(
                        opcode.base(), half.whole(a >>> (16 * i) & 0xffff), half.whole(b >>> (16 * i) & 0xffff));
                parts[i] = Expected.whole(opcode.has("relu") ? value.max(ZERO) : value, 16);
            }
            return new Expected.Pair(parts[0], parts[1], 16);
        });
    }

    private Reference ternary() {
        boolean wide = opcode.has("wide");
        String sum = wide ? doubled(type) : type;
        return reference(sum, operands(type, type, sum), (a, b, c) -> {
            if (opcode.base().equals("sad")) {
                return c.add(a.subtract(b).abs());
            }
            BigInteger product = a.multiply(b);
            product = opcode.has("hi") ? product.shiftRight(bits) : product;
            return opcode.has("sat") ? clamped(product.add(c)) : product.add(c);
        });
    }

    /** With the carry that comes in, where it reads one, from the third or fourth operand, and the one that goes out. */
    private Reference carried(boolean reads) {
        String base = opcode.base().replace("c", "");
        boolean product = opcode.base().startsWith("mad");
        boolean subtracts = base.equals("sub");
        Operand unsigned = Operand.of("u" + bits);
        List<Operand> in = product ? operands(type, type, type, "pred") : operands(type, type, "pred");
        String carry = "{.reg .b32 x, y; selp.b32 y, 1, 0, %" + Reference.INPUTS.get(in.size() - 1) + "; ";
        String before = !reads ? "" : subtracts ? "sub.cc.u32 x, 0, y; " : "add.cc.u32 x, y, -1; ";
        String out = !opcode.has("cc") ? "" : subtracts ? " subc.u32 x, 0, 0; neg.s32 %e, x;" : " addc.u32 %e, 0, 0;";
        String text = carry + before + opcode.text() + " %d, %a, %b" + (product ? ", %c;" : ";") + out + "}";
        List<Operand> results = opcode.has("cc") ? operands(type, "u32") : operands(type);
        return new Reference(opcode.text(), text, in, results, (values, thread) -> {
            BigInteger a = operand.whole(values[0][thread]);
            BigInteger b = operand.whole(values[1][thread]);
            BigInteger come = BigInteger.valueOf(reads ? values[in.size() - 1][thread] : 0);
            BigInteger value;
            if (product) {
                BigInteger part = a.multiply(b);
                part = opcode.has("hi") ? part.shiftRight(bits) : part;
                // The sum of two unsigned words, whatever the product's signs.
                BigInteger word = part.mod(ONE.shiftLeft(bits));
                value = word.add(unsigned.whole(values[2][thread])).add(come);
            } else {
                BigInteger x = unsigned.whole(values[0][thread]);
                BigInteger y = unsigned.whole(values[1][thread]);
                value = subtracts ? x.subtract(y).subtract(come) : x.add(y).add(come);
            }
            Expected result = Expected.whole(value, bits);
            if (!opcode.has("cc")) {
                return List.of(result);
            }
            boolean carries = subtracts ? value.signum() < 0 : value.bitLength() > bits;
            return List.of(result, Expected.bits(carries ? 1 : 0));
        });
    }

    private Reference product24() {
        List<Operand> in = opcode.base().equals("mad24") ? operands(type, type, type) : operands(type, type);
        return reference(type, in, (a, b, c) -> {
            BigInteger product = short24(a).multiply(short24(b));
            return (opcode.has("hi") ? product.shiftRight(16) : product).add(c);
        });
    }

    private BigInteger short24(BigInteger value) {
        BigInteger low = value.mod(ONE.shiftLeft(24));
        return operand.signed() && low.testBit(23) ? low.subtract(ONE.shiftLeft(24)) : low;
    }

    private Reference logic() {
        return reference(type, operands(type, type), (a, b, c) -> switch (opcode.base()) {
            case "and" -> a.and(b);
            case "or" -> a.or(b);
            default -> a.xor(b);
        });
    }

    private Reference unary() {
        boolean counts = List.of("clz", "popc", "bfind").contains(opcode.base());
        return reference(counts ? "u32" : type, operands(type), (a, b, c) -> switch (opcode.base()) {
            case "neg" -> a.negate();
            case "abs" -> a.abs();
            case "not" -> a.not();
            case "cnot" -> a.signum() == 0 ? ONE : ZERO;
            case "clz" -> BigInteger.valueOf(bits - a.bitLength());
            case "popc" -> BigInteger.valueOf(a.bitCount());
            case "brev" -> reversed(a);
            // The length of a negative number in two's complement is without its sign too.
            default ->
                a.bitLength() == 0
                        ? ONE.negate()
                        : BigInteger.valueOf(opcode.has("shiftamt") ? bits - a.bitLength() : a.bitLength() - 1);
        });
    }

    private BigInteger reversed(BigInteger a) {
        BigInteger result = ZERO;
        for (int i = 0; i < bits; i++) {
            result = a.testBit(i) ? result.setBit(bits - 1 - i) : result;
        }
        return result;
    }

    private static Operand amount() {
        return new Operand("u32", Operand.Domain.AMOUNT);
    }

    /** More than the width is the width. */
    private static int atMost(BigInteger amount, int most) {
        return amount.min(BigInteger.valueOf(most)).intValue();
    }

    private Reference shift() {
        boolean left = opcode.base().equals("shl");
        return reference(type, List.of(operand, amount()), (a, n, c) -> {
            int by = atMost(n, bits);
            return left ? a.shiftLeft(by) : a.shiftRight(by);
        });
    }

    private Reference funnel() {
        boolean left = opcode.has("l");
        return reference(type, List.of(operand, operand, amount()), (a, b, n) -> {
            int by = opcode.has("wrap") ? n.intValue() & 31 : atMost(n, 32);
            BigInteger both = b.shiftLeft(32).or(a);
            return left ? both.shiftLeft(by).shiftRight(32) : both.shiftRight(by);
        });
    }

    /** Place and length are their low 8 bits. */
    private Reference field() {
        boolean extract = opcode.base().equals("bfe");
        List<Operand> in =
                extract ? List.of(operand, amount(), amount()) : List.of(operand, operand, amount(), amount());
        String text = opcode.text() + (extract ? " %d, %a, %b, %c;" : " %d, %a, %b, %c, %i;");
        return new Reference(opcode.text(), text, in, List.of(operand), (values, thread) -> {
            BigInteger a = operand.whole(values[0][thread]);
            int place = (int) values[extract ? 1 : 2][thread] & 255;
            int length = (int) values[extract ? 2 : 3][thread] & 255;
            BigInteger result = extract ? ZERO : operand.whole(values[1][thread]);
            for (int i = 0; i < Math.min(length, bits); i++) {
                if (extract) {
                    // Beyond the top there are zeros, or for signed types copies of the sign.
                    boolean bit = place + i < bits ? a.testBit(place + i) : operand.signed() && a.signum() < 0;
                    result = bit ? result.setBit(i) : result;
                } else if (place + i < bits) {
                    result = a.testBit(i) ? result.setBit(place + i) : result.clearBit(place + i);
                }
            }
            boolean extended = extract && operand.signed() && length > 0 && length < bits;
            if (extended && result.testBit(length - 1)) {
                result = result.subtract(ONE.shiftLeft(length));
            }
            return List.of(Expected.whole(result, bits));
        });
    }

    private Reference mask() {
        boolean wrap = opcode.has("wrap");
        if (opcode.base().equals("bmsk")) {
            return reference(type, List.of(amount(), amount()), (a, b, c) -> {
                int place = wrap ? a.intValue() & 31 : atMost(a, 32);
                int length = wrap ? b.intValue() & 31 : atMost(b, 32);
                return ONE.shiftLeft(length).subtract(ONE).shiftLeft(place);
            });
        }
        return reference(type, List.of(operand, amount()), (a, n, c) -> {
            int length = wrap ? n.intValue() & 31 : atMost(n, 32);
            BigInteger low = a.mod(ONE.shiftLeft(length));
            boolean negative = operand.signed() && length > 0 && low.testBit(length - 1);
            return negative ? low.subtract(ONE.shiftLeft(length)) : low;
        });
    }

    private Reference permutation() {
        String mode = opcode.any("f4e", "b4e", "rc8", "ecl", "ecr", "rc16");
        return Reference.plain(opcode, type, operands(type, type, type), (a, b, c) -> {
            long bytes = (a & 0xffffffffL) | b << 32;
            long result = 0;
            for (int i = 0; i < 4; i++) {
                int s = (int) c & 3;
                // The tables of the PTX ISA, result byte 0 first.
                int from = switch (mode) {
                    case "f4e" -> s + i;
                    case "b4e" -> (8 + s - i) % 8;
                    case "rc8" -> s;
                    case "ecl" -> new int[][] {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}}[s][i];
                    case "ecr" -> new int[][] {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}}[s][i];
                    case "rc16" -> new int[][] {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}[s][i];
                    default -> (int) (c >> (4 * i)) & 7;
                };
                long value = bytes >>> (8 * from) & 0xff;
                boolean sign = mode.isEmpty() && (c >> (4 * i + 3) & 1) != 0;
                result |= (sign ? value >> 7 == 1 ? 0xff : 0 : value) << (8 * i);
            }
            return Expected.bits(result);
        });
    }

    /** A few of the 256 tables; {@link OpcodesTest} has all with the three words that the PTX ISA defines them by. */
    private Reference tables() {
        int[] tables = {0xe8, 0x96, 0x1b, 0x40};
        StringBuilder text = new StringBuilder();
        List<Operand> results = new ArrayList<>();
        for (int i = 0; i < tables.length; i++) {
            text.append(opcode.text()).append(" %" + Reference.OUTPUTS.get(i) + ", %a, %b, %c, " + tables[i] + ";\n");
            results.add(operand);
        }
        return new Reference(opcode.text(), text.toString(), operands(type, type, type), results, (in, thread) -> {
            List<Expected> all = new ArrayList<>();
            for (int table : tables) {
                long result = 0;
                for (int bit = 0; bit < 32; bit++) {
                    int row = (int) (in[0][thread] >> bit & 1) << 2
                            | (int) (in[1][thread] >> bit & 1) << 1
                            | (int) (in[2][thread] >> bit & 1);
                    result |= (long) (table >> row & 1) << bit;
                }
                all.add(Expected.bits(result));
            }
            return all;
        });
    }

    private Reference dot() {
        boolean four = opcode.base().equals("dp4a");
        Operand first = Operand.of(opcode.types().get(0).charAt(0) + (four ? "8" : "16"));
        Operand second = Operand.of(opcode.types().get(1).charAt(0) + "8");
        int skip = opcode.has("hi") ? 16 : 0;
        return Reference.plain(opcode, "b32", operands("b32", "b32", "b32"), (a, b, c) -> {
            BigInteger sum = Operand.of("s32").whole(c);
            for (int i = 0; i < (four ? 4 : 2); i++) {
                sum = sum.add(first.whole(a >>> (first.bits() * i)).multiply(second.whole(b >>> (skip + 8 * i))));
            }
            return Expected.whole(sum, 32);
        });
    }

    /** The n-th bit that is set, counted from the base on. */
    private Reference nth() {
        List<Operand> in = List.of(operand, amount(), new Operand("s32", Operand.Domain.AMOUNT));
        return Reference.plain(opcode, "b32", in, (mask, base, n) -> {
            List<Integer> set = new ArrayList<>();
            int start = (int) base;
            for (int i = 0; i < 32; i++) {
                int at = (int) n < 0 ? start - i : start + i;
                if (start >= 0 && start < 32 && at >= 0 && at < 32 && (mask >> at & 1) != 0) {
                    set.add(at);
                }
            }
            long from = Math.abs((long) (int) n);
            if ((int) n == 0) {
                boolean here = !set.isEmpty() && set.getFirst() == start;
                return Expected.bits(here ? start : 0xffffffffL);
            }
            return Expected.bits(from <= set.size() ? set.get((int) from - 1) : 0xffffffffL);
        });
    }

    private Reference moved() {
        return Reference.plain(opcode, type, operands(type), (a, b, c) -> Expected.bits(a));
    }
}
