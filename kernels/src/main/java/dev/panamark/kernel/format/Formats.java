package dev.panamark.kernel.format;

import dev.panamark.kernel.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Numbers and their bits in every {@link DataType}.
 *
 * <p>Sources of the formats: IEEE 754 for f16, f32, f64; OCP "8-bit Floating Point Specification" for e4m3 and e5m2;
 * for the FNUZ formats (bias one higher, no infinity, no minus zero, 0x80 is the only NaN) the ml_dtypes README.
 *
 * <p>All methods may be called from any thread.
 */
public final class Formats {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfDouble DOUBLE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final double[] E4M3 = table(MiniFloat.E4M3);
    private static final double[] E5M2 = table(MiniFloat.E5M2);
    private static final double[] E4M3FNUZ = table(MiniFloat.E4M3FNUZ);
    private static final double[] E5M2FNUZ = table(MiniFloat.E5M2FNUZ);

    private Formats() {}

    /**
     * The value of a code; exact, except that 64-bit integers beyond 2^53 are rounded.
     *
     * @param bits the code in the low bits; higher bits are ignored
     */
    public static double decode(DataType type, long bits) {
        return switch (type) {
            case F64 -> Double.longBitsToDouble(bits);
            case F32 -> Float.intBitsToFloat((int) bits);
            case F16 -> Float.float16ToFloat((short) bits);
            case BF16 -> Float.intBitsToFloat((int) bits << 16);
            case E4M3 -> E4M3[(int) bits & 0xFF];
            case E5M2 -> E5M2[(int) bits & 0xFF];
            case E4M3FNUZ -> E4M3FNUZ[(int) bits & 0xFF];
            case E5M2FNUZ -> E5M2FNUZ[(int) bits & 0xFF];
            case I64 -> (double) bits;
            case I32 -> (int) bits;
            case I16 -> (short) bits;
            case I8 -> (byte) bits;
            case U64 -> bits >= 0 ? (double) bits : 2.0 * (double) ((bits >>> 1) | (bits & 1));
            case U32 -> bits & 0xFFFF_FFFFL;
            case U16 -> bits & 0xFFFF;
            case U8 -> bits & 0xFF;
        };
    }

    /**
     * The code nearest to a value, ties to even, in one rounding. Beyond the largest finite value: infinity where the
     * format has one, NaN in e4m3 and the FNUZ formats (as PyTorch converts). Integers are rounded to nearest even and
     * held at their range; NaN becomes 0 there.
     *
     * @return the code in the low {@code 8 * type.bytes()} bits, the others 0
     */
    public static long encode(DataType type, double value) {
        return encode(type, value, false);
    }

    /** As {@link #encode(DataType, double)}, but held at the largest finite value, as PTX {@code satfinite} does. */
    public static long encodeSaturating(DataType type, double value) {
        return encode(type, value, true);
    }

    /** The value rounded to the format, as {@link #encode(DataType, double)} rounds. */
    public static double round(DataType type, double value) {
        return switch (type) {
            case F64 -> value;
            case F32 -> (float) value;
            default -> decode(type, encode(type, value));
        };
    }

    /** The largest finite value: 448 for e4m3, 240 for e4m3fnuz. */
    public static double maxFinite(DataType type) {
        return decode(type, encodeSaturating(type, Double.MAX_VALUE));
    }

    /** Whether a code stands for a finite number. */
    public static boolean isFinite(DataType type, long bits) {
        return switch (type) {
            case F64 -> (bits & 0x7FF0_0000_0000_0000L) != 0x7FF0_0000_0000_0000L;
            case F32 -> (bits & 0x7F80_0000L) != 0x7F80_0000L;
            case F16 -> (bits & 0x7C00) != 0x7C00;
            case BF16 -> (bits & 0x7F80) != 0x7F80;
            case E4M3 -> (bits & 0x7F) != 0x7F;
            case E5M2 -> (bits & 0x7C) != 0x7C;
            case E4M3FNUZ, E5M2FNUZ -> (bits & 0xFF) != 0x80;
            default -> true;
        };
    }

    /** The code of one element. */
    public static long bits(Tensor tensor, long position) {
        return bits(tensor.type(), tensor.data(), position);
    }

    /** The code of one element of memory that holds elements of this type one after the other. */
    public static long bits(DataType type, MemorySegment data, long position) {
        return switch (type.bytes()) {
            case 1 -> data.get(ValueLayout.JAVA_BYTE, position) & 0xFFL;
            case 2 -> data.get(SHORT, position * 2) & 0xFFFFL;
            case 4 -> data.get(INT, position * 4) & 0xFFFF_FFFFL;
            default -> data.get(LONG, position * 8);
        };
    }

    /** Writes the code of one element. */
    public static void setBits(Tensor tensor, long position, long bits) {
        setBits(tensor.type(), tensor.data(), position, bits);
    }

    /** Writes the code of one element of memory that holds elements of this type one after the other. */
    public static void setBits(DataType type, MemorySegment data, long position, long bits) {
        switch (type.bytes()) {
            case 1 -> data.set(ValueLayout.JAVA_BYTE, position, (byte) bits);
            case 2 -> data.set(SHORT, position * 2, (short) bits);
            case 4 -> data.set(INT, position * 4, (int) bits);
            default -> data.set(LONG, position * 8, bits);
        }
    }

    /** One element; exact, except that 64-bit integers beyond 2^53 are rounded. */
    public static double get(Tensor tensor, long position) {
        return decode(tensor.type(), bits(tensor, position));
    }

    /** Writes one element, rounded as {@link #encode(DataType, double)} rounds. */
    public static void set(Tensor tensor, long position, double value) {
        setBits(tensor, position, encode(tensor.type(), value));
    }

    /** All elements; at most 2^31-1 of them. */
    public static double[] read(Tensor tensor) {
        double[] out = new double[Math.toIntExact(tensor.shape().elements())];
        Blocks.each(out.length, (from, count) -> read(tensor, from, count, out, (int) from));
        return out;
    }

    /** Elements {@code from .. from + count - 1}, written to {@code into} from {@code at} on. */
    public static void read(Tensor tensor, long from, int count, double[] into, int at) {
        MemorySegment data = tensor.data();
        switch (tensor.type()) {
            case F32 -> {
                for (int i = 0; i < count; i++) {
                    into[at + i] = data.get(FLOAT, (from + i) * 4);
                }
            }
            case F64 -> {
                for (int i = 0; i < count; i++) {
                    into[at + i] = data.get(DOUBLE, (from + i) * 8);
                }
            }
            case F16 -> {
                for (int i = 0; i < count; i++) {
                    into[at + i] = Float.float16ToFloat(data.get(SHORT, (from + i) * 2));
                }
            }
            case BF16 -> {
                for (int i = 0; i < count; i++) {
                    into[at + i] = Float.intBitsToFloat(data.get(SHORT, (from + i) * 2) << 16);
                }
            }
            default -> {
                DataType type = tensor.type();
                for (int i = 0; i < count; i++) {
                    into[at + i] = decode(type, bits(type, data, from + i));
                }
            }
        }
    }

    /**
     * Writes {@code count} elements of {@code values}, the first of them at position {@code from}.
     *
     * @param saturate whether to hold at the largest finite value
     */
    public static void write(Tensor tensor, long from, int count, double[] values, boolean saturate) {
        MemorySegment data = tensor.data();
        DataType type = tensor.type();
        // A loop for each width, because a choice within the loop costs more than the conversion.
        switch (type) {
            case F16 -> halves(data, from, count, values, MiniFloat.F16, saturate);
            case BF16 -> halves(data, from, count, values, MiniFloat.BF16, saturate);
            case E4M3 -> quarters(data, from, count, values, MiniFloat.E4M3, saturate);
            case E5M2 -> quarters(data, from, count, values, MiniFloat.E5M2, saturate);
            case E4M3FNUZ -> quarters(data, from, count, values, MiniFloat.E4M3FNUZ, saturate);
            case E5M2FNUZ -> quarters(data, from, count, values, MiniFloat.E5M2FNUZ, saturate);
            case F32 -> {
                for (int i = 0; i < count; i++) {
                    float f = (float) values[i];
                    boolean hold = saturate && Float.isInfinite(f);
                    data.set(FLOAT, (from + i) * 4, hold ? Math.copySign(Float.MAX_VALUE, f) : f);
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    setBits(type, data, from + i, encode(type, values[i], saturate));
                }
            }
        }
    }

    private static void halves(
            MemorySegment data, long from, int count, double[] values, MiniFloat format, boolean saturate) {
        for (int i = 0; i < count; i++) {
            data.set(SHORT, (from + i) * 2, (short) format.encode(values[i], saturate));
        }
    }

    private static void quarters(
            MemorySegment data, long from, int count, double[] values, MiniFloat format, boolean saturate) {
        for (int i = 0; i < count; i++) {
            data.set(ValueLayout.JAVA_BYTE, from + i, (byte) format.encode(values[i], saturate));
        }
    }

    private static long encode(DataType type, double value, boolean saturate) {
        return switch (type) {
            case F64 ->
                Double.doubleToRawLongBits(
                        saturate && Double.isInfinite(value) ? Math.copySign(Double.MAX_VALUE, value) : value);
            case F32 -> {
                float f = (float) value;
                if (saturate && Float.isInfinite(f)) {
                    f = Math.copySign(Float.MAX_VALUE, f);
                }
                yield Float.floatToRawIntBits(f) & 0xFFFF_FFFFL;
            }
            case F16 -> MiniFloat.F16.encode(value, saturate);
            case BF16 -> MiniFloat.BF16.encode(value, saturate);
            case E4M3 -> MiniFloat.E4M3.encode(value, saturate);
            case E5M2 -> MiniFloat.E5M2.encode(value, saturate);
            case E4M3FNUZ -> MiniFloat.E4M3FNUZ.encode(value, saturate);
            case E5M2FNUZ -> MiniFloat.E5M2FNUZ.encode(value, saturate);
            case I64 -> (long) Math.rint(value);
            case I32 -> (int) Math.rint(value) & 0xFFFF_FFFFL;
            case I16 -> (long) Math.clamp(whole(value), -32768.0, 32767.0) & 0xFFFF;
            case I8 -> (long) Math.clamp(whole(value), -128.0, 127.0) & 0xFF;
            case U64 -> unsigned(whole(value));
            case U32 -> (long) Math.clamp(whole(value), 0.0, 4294967295.0);
            case U16 -> (long) Math.clamp(whole(value), 0.0, 65535.0);
            case U8 -> (long) Math.clamp(whole(value), 0.0, 255.0);
        };
    }

    private static double whole(double value) {
        return Double.isNaN(value) ? 0 : Math.rint(value);
    }

    private static long unsigned(double whole) {
        if (whole <= 0) {
            return 0;
        }
        if (whole >= 0x1p64) {
            return -1L;
        }
        return whole < 0x1p63 ? (long) whole : (long) (whole - 0x1p63) + Long.MIN_VALUE;
    }

    private static double[] table(MiniFloat format) {
        double[] values = new double[256];
        for (int c = 0; c < 256; c++) {
            values[c] = format.decode(c);
        }
        return values;
    }
}
