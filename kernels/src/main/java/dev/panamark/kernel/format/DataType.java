package dev.panamark.kernel.format;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The element types that a kernel file may name. Packed four-bit data is declared as the {@code u8} or {@code i32}
 * words that hold it.
 */
public enum DataType {
    F64(8, true),
    F32(4, true),
    F16(2, true),
    BF16(2, true),
    E4M3(1, true),
    E5M2(1, true),
    E4M3FNUZ(1, true),
    E5M2FNUZ(1, true),
    I64(8, false),
    I32(4, false),
    I16(2, false),
    I8(1, false),
    U64(8, false),
    U32(4, false),
    U16(2, false),
    U8(1, false);

    private final int bytes;
    private final boolean floating;

    DataType(int bytes, boolean floating) {
        this.bytes = bytes;
        this.floating = floating;
    }

    /** Bytes an element takes. */
    public int bytes() {
        return bytes;
    }

    /** Whether it is a floating-point format. */
    public boolean floating() {
        return floating;
    }

    /** The name in kernel files and results: {@code f32}, {@code e4m3fnuz}. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The type of this name, if there is one. */
    public static Optional<DataType> ofTag(String tag) {
        return Arrays.stream(values()).filter(t -> t.tag().equals(tag)).findFirst();
    }

    /** All names, for messages. */
    public static String tags() {
        return Arrays.stream(values()).map(DataType::tag).collect(Collectors.joining(", "));
    }
}
