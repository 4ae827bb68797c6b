package dev.panamark.ptx.ir;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats of the elements of matrices. */
public enum Element {
    F16(16),
    BF16(16),
    /** The upper 19 bits of an f32. */
    TF32(32),
    F32(32),
    F64(64),
    E4M3(8),
    E5M2(8),
    S8(8),
    U8(8),
    S4(4),
    U4(4),
    S32(32);

    private final int bits;

    Element(int bits) {
        this.bits = bits;
    }

    /** That of a modifier such as {@code e4m3}; null where it names none. */
    public static @Nullable Element of(String modifier) {
        for (Element element : values()) {
            if (element.ptx().equals(modifier)) {
                return element;
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

    /** How many a register of a fragment holds. */
    public int perRegister() {
        return bits >= 32 ? 1 : 32 / bits;
    }

    /** Of whole numbers, sums being so too. */
    public boolean integer() {
        return this == S8 || this == U8 || this == S4 || this == U4 || this == S32;
    }

    /** The class of operations with such multiplicands. */
    public String rateClass() {
        return switch (this) {
            case S8, U8 -> "tensor_i8";
            case S4, U4 -> "tensor_i4";
            case E4M3, E5M2 -> "tensor_f8";
            default -> "tensor_" + ptx();
        };
    }
}
