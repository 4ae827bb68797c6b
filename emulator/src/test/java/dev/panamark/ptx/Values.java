package dev.panamark.ptx;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Values that operands are tried with: all there are, or edges with edges and many by chance. */
final class Values {
    private static final long[] AMOUNTS = {0, 1, 2, 7, 8, 15, 16, 17, 30, 31, 32, 33, 47, 63, 64, 65, 255, 256, -1};

    private Values() {}

    /**
     * Bits by operand and thread; as many threads as are needed, a multiple of a block.
     *
     * @param most how many where not all are tried
     */
    static long[][] of(List<Operand> operands, int most) {
        int bits = operands.stream().mapToInt(Operand::bits).sum();
        boolean any = operands.stream()
                .allMatch(o -> o.domain() == Operand.Domain.ANY || o.domain() == Operand.Domain.EVERYDAY);
        if (any && !operands.isEmpty() && bits <= 16 && bits >= 8) {
            return all(operands, bits);
        }
        if (any
                && operands.size() == 1
                && operands.getFirst().bits() == 32
                && Operand.isPacked(operands.getFirst().type())) {
            return pairs();
        }
        boolean brief = operands.stream().anyMatch(o -> o.domain() == Operand.Domain.BRIEF);
        return many(operands, brief ? 2 * Reference.BLOCK : most);
    }

    /** In an order in which the first few are from all over. */
    private static long[][] all(List<Operand> operands, int bits) {
        int count = Math.max(Reference.BLOCK, 1 << bits);
        long[][] values = new long[operands.size()][count];
        for (int i = 0; i < count; i++) {
            int left = i * 40503 & (count - 1);
            for (int k = 0; k < operands.size(); k++) {
                int width = operands.get(k).bits();
                values[k][i] = left & ((1 << width) - 1);
                left >>>= width;
            }
        }
        return values;
    }

    /** Each of the values in either half, beside different ones. */
    private static long[][] pairs() {
        long[][] values = new long[1][1 << 16];
        for (int i = 0; i < 1 << 16; i++) {
            values[0][i] = (i * 40503 & 0xffff) | (long) (i * 25717 + 7 & 0xffff) << 16;
        }
        return values;
    }

    private static long[][] many(List<Operand> operands, int count) {
        Random random = new Random(operands.size());
        long[][] values = new long[operands.size()][count];
        List<long[]> edges = operands.stream().map(Values::edges).toList();
        long combinations = 1;
        for (long[] some : edges) {
            combinations *= some.length;
        }
        for (int i = 0; i < count; i++) {
            long digits = combinations <= count / 2 ? i : random.nextLong(combinations);
            boolean edge = i < Math.min(combinations, count / 2);
            int exponent = random.nextInt(-300, 300);
            for (int k = 0; k < operands.size(); k++) {
                long[] some = edges.get(k);
                boolean one = edge || random.nextInt(8) == 0;
                values[k][i] = one ? some[(int) (digits % some.length)] : chance(operands.get(k), random, exponent, i);
                digits /= some.length;
            }
        }
        return values;
    }

    private static long[] edges(Operand operand) {
        if (operand.domain() == Operand.Domain.AMOUNT) {
            return AMOUNTS;
        }
        if (operand.domain() == Operand.Domain.FEW) {
            return new long[] {0, 1};
        }
        List<Long> all = new ArrayList<>();
        String type = operand.type();
        if (Operand.isPacked(type) && type.contains("f16")) {
            long[] parts = edges(Operand.of(type.substring(0, type.length() - 2)));
            for (int i = 0; i < parts.length; i++) {
                all.add(parts[i] | parts[(i * 5 + 3) % parts.length] << 16);
            }
        } else if (operand.real()) {
            Format format = Format.named(type);
            long one = format.code(Exact.of(BigInteger.ONE), Exact.Rounding.NEAREST);
            long least = type.equals("tf32") ? 1L << 13 : 1;
            long infinity = format.infinity(false);
            long normal = least;
            while (format.isSubnormal(normal)) {
                normal <<= 1;
            }
            long[] positive = {
                0,
                least,
                normal - least,
                normal,
                normal + least,
                one - least,
                one,
                one + least,
                one + normal,
                one + normal / 2,
                infinity - least,
                infinity,
                infinity + least,
                infinity | normal / 2
            };
            for (long code : positive) {
                all.add(code);
                all.add(code | 1L << (format.bits() - 1));
            }
        } else if (type.equals("pred")) {
            all.addAll(List.of(0L, 1L));
        } else {
            int bits = operand.bits();
            for (long value : new long[] {0, 1, 2, 3, 5, 7, 0x5555555555555555L}) {
                for (long of : new long[] {value, -value, (1L << (bits - 1)) + value, (1L << (bits - 1)) - value}) {
                    all.add(of);
                }
            }
        }
        long mask = operand.bits() == 64 ? -1 : (1L << operand.bits()) - 1;
        return all.stream().mapToLong(v -> v & mask).distinct().toArray();
    }

    private static long chance(Operand operand, Random random, int exponent, int thread) {
        int bits = operand.bits();
        long mask = bits == 64 ? -1 : (1L << bits) - 1;
        switch (operand.domain()) {
            case AMOUNT -> {
                return random.nextInt(4) == 0 ? random.nextInt() & mask : random.nextInt(72);
            }
            case FEW -> {
                int block = thread / Reference.BLOCK % 4;
                return block < 2 ? block : thread / 32 % 2 == 0 ? 1 : random.nextInt(3) & mask;
            }
            default -> {}
        }
        if (operand.real()) {
            return real(operand, random, exponent) & mask;
        }
        if (Operand.isPacked(operand.type()) && operand.type().contains("f16")) {
            Operand half =
                    new Operand(operand.type().substring(0, operand.type().length() - 2), operand.domain());
            return (real(half, random, exponent) & 0xffff) | (real(half, random, exponent) & 0xffff) << 16;
        }
        return (random.nextBoolean() ? random.nextLong() : random.nextLong(-300, 300)) & mask;
    }

    /**
     * Any bits, or a number near 2^exponent so that sums of operands round, or one of everyday size, or one of few bits,
     * which often lies midway between two of a shorter format.
     */
    private static long real(Operand operand, Random random, int exponent) {
        Format format = Format.named(operand.type());
        int kind = random.nextInt(4);
        if (kind == 0) {
            return random.nextLong();
        }
        int width = format == Format.F64 ? 300 : format == Format.F16 ? 14 : 120;
        int near = kind >= 2 || operand.domain() == Operand.Domain.EVERYDAY
                ? random.nextInt(-8, 8)
                : exponent % width + random.nextInt(-12, 12);
        double part = kind == 3 ? fewBits(random) : random.nextDouble();
        double value = Math.scalb(1 + part, near) * (random.nextBoolean() ? 1 : -1);
        return format.code(Format.F64.value(Double.doubleToRawLongBits(value)), Exact.Rounding.NEAREST);
    }

    /** Of 1 to 26 bits after the point. */
    private static double fewBits(Random random) {
        int bits = random.nextInt(1, 27);
        return Math.scalb((double) random.nextInt(1 << bits), -bits);
    }
}
