package dev.panamark.ptx.ir;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The fundamental and packed types of PTX. */
public enum Type {
    PRED(1),
    B8(8),
    B16(16),
    B32(32),
    B64(64),
    B128(128),
    U8(8),
    U16(16),
    U32(32),
    U64(64),
    S8(8),
    S16(16),
    S32(32),
    S64(64),
    F16(16),
    F16X2(32),
    BF16(16),
    BF16X2(32),
    TF32(32),
    F32(32),
    F64(64),
    E4M3X2(16),
    E5M2X2(16),
    U16X2(32),
    S16X2(32),
    F32X2(64);

    private final int bits;

    Type(int bits) {
        this.bits = bits;
    }

    /** That of a modifier such as {@code u32}; null where it names none. */
    public static @Nullable Type of(String modifier) {
        for (Type type : values()) {
            if (type.ptx().equals(modifier)) {
                return type;
            }
        }
        return null;
    }

    public String ptx() {
        return name().toLowerCase(Locale.ROOT);
    }

    public int bits() {
        return bits;
    }

    public int bytes() {
        return Math.max(1, bits / 8);
    }

    public boolean signed() {
        return this == S8 || this == S16 || this == S32 || this == S64;
    }

    public boolean unsigned() {
        return this == U8 || this == U16 || this == U32 || this == U64;
    }

    public boolean integer() {
        return signed() || unsigned();
    }

    /** Of one value in binary floating point. */
    public boolean real() {
        return this == F16 || this == BF16 || this == F32 || this == F64 || this == TF32;
    }

    public boolean untyped() {
        return this == B8 || this == B16 || this == B32 || this == B64 || this == B128;
    }

    /** How values of this type are computed with; half-precision values are their bits. */
    public Jvm jvm() {
        return switch (this) {
            case F32 -> Jvm.FLOAT;
            case F64 -> Jvm.DOUBLE;
            case B64, U64, S64, F32X2 -> Jvm.LONG;
            default -> Jvm.INT;
        };
    }
}
