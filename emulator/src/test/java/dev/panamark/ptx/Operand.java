package dev.panamark.ptx;

import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** An operand's type and, where that says too little, which values it is tried with. */
record Operand(String type, Domain domain) {
    enum Domain {
        ANY,
        /** Amounts of shifts, places and lengths of fields: mostly small. */
        AMOUNT,
        /** Numbers of everyday size, for functions that are constant elsewhere. */
        EVERYDAY,
        /** Small numbers, the same in all threads of many warps and blocks. */
        FEW,
        /** Any, in two blocks only: for threads that wait for each other, which takes long. */
        BRIEF
    }

    private static final List<String> TYPES = List.of(
            "pred", "b8", "u8", "s8", "b16", "u16", "s16", "f16", "bf16", "e4m3x2", "e5m2x2", "b32", "u32", "s32",
            "f32", "tf32", "f16x2", "bf16x2", "u16x2", "s16x2", "b64", "u64", "s64", "f64");

    static Operand of(String type) {
        return new Operand(type, Domain.ANY);
    }

    static boolean isType(String name) {
        return TYPES.contains(name);
    }

    private static final Map<String, Integer> BITS =
            TYPES.stream().collect(Collectors.toUnmodifiableMap(type -> type, Operand::measured));

    private static int measured(String type) {
        if (type.equals("pred")) {
            return 1;
        }
        if (isPacked(type)) {
            return type.startsWith("e") ? 16 : 32;
        }
        return type.equals("tf32") ? 32 : Integer.parseInt(type.replaceAll("[a-z]", ""));
    }

    static int bits(String type) {
        return Objects.requireNonNull(BITS.get(type), type);
    }

    int bits() {
        return bits(type);
    }

    boolean signed() {
        return type.startsWith("s");
    }

    boolean real() {
        return isReal(type);
    }

    static boolean isReal(String type) {
        return type.equals("f16")
                || type.equals("bf16")
                || type.equals("f32")
                || type.equals("f64")
                || type.equals("tf32");
    }

    static boolean isPacked(String type) {
        return type.endsWith("x2");
    }

    /** How a register for it is declared. */
    String register() {
        return switch (type) {
            case "pred", "f32", "f64" -> type;
            // Registers have at least 16 bits; with 32 it shows how shorter values are extended.
            default -> "b" + (bits() == 8 ? 32 : bits());
        };
    }

    int registerBits() {
        return type.equals("pred") ? 1 : bits() == 8 ? 32 : bits();
    }

    /** A register's bits as a whole number. */
    BigInteger whole(long bits) {
        int width = bits();
        BigInteger value = BigInteger.valueOf(bits).mod(BigInteger.ONE.shiftLeft(width));
        return signed() && value.testBit(width - 1) ? value.subtract(BigInteger.ONE.shiftLeft(width)) : value;
    }
}
