package dev.panamark.ptx.runtime;

import dev.panamark.ptx.DeviceMemory;
import dev.panamark.ptx.KernelFault;
import dev.panamark.ptx.ir.AtomicKind;
import dev.panamark.ptx.ir.Type;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Atomic operations. Blocks on different threads meet in global memory only. */
public final class Atomics {
    private static final VarHandle INTS =
            ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final VarHandle LONGS =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final AtomicKind[] KINDS = AtomicKind.values();
    private static final Type[] TYPES = Type.values();
    private static final long WINDOW_MASK = Memory.SHARED_WINDOW - 1;

    private Atomics() {}

    /** The value before, of a global address; kind and type by number. */
    public static long global(Warp warp, int lane, int site, long address, long value, long swap, int kind, int type) {
        Type what = TYPES[type];
        Memory.global(warp, lane, site, address, what.bytes());
        return on(warp.global, address, KINDS[kind], what, value, swap);
    }

    public static long shared(Warp warp, int lane, int site, int address, long value, long swap, int kind, int type) {
        Type what = TYPES[type];
        int at = Memory.shared(warp, lane, site, address, what.bytes());
        long old = Memory.load(warp.shared, at, what.bytes());
        Memory.store(warp.shared, at, what.bytes(), apply(KINDS[kind], what, old, value, swap));
        return old;
    }

    public static long generic(Warp warp, int lane, int site, long address, long value, long swap, int kind, int type) {
        if (address >= DeviceMemory.LOWEST || address < Memory.SHARED_WINDOW) {
            return global(warp, lane, site, address, value, swap, kind, type);
        }
        if (address < Memory.LOCAL_WINDOW) {
            return shared(warp, lane, site, (int) (address & WINDOW_MASK), value, swap, kind, type);
        }
        throw warp.fault(
                KernelFault.Kind.UNDEFINED,
                site,
                lane,
                "generic",
                address,
                TYPES[type].bytes(),
                "atomic operations work on global and shared memory");
    }

    private static long on(MemorySegment memory, long at, AtomicKind kind, Type type, long value, long swap) {
        if (type.bits() == 64) {
            while (true) {
                long old = (long) LONGS.getVolatile(memory, at);
                if (LONGS.compareAndSet(memory, at, old, apply(kind, type, old, value, swap))) {
                    return old;
                }
            }
        }
        long word = at & ~3L;
        int shift = (int) (at & 3) * 8;
        int mask = type.bits() == 32 ? -1 : ((1 << type.bits()) - 1) << shift;
        while (true) {
            int whole = (int) INTS.getVolatile(memory, word);
            int old = (whole & mask) >>> shift;
            int now = kind == AtomicKind.ADD && type == Type.F32
                    ? flushedSum(old, (int) value)
                    : (int) apply(kind, type, old, value, swap);
            if (INTS.compareAndSet(memory, word, whole, (whole & ~mask) | (now << shift & mask))) {
                return old;
            }
        }
    }

    /** In global memory, unlike shared, subnormal f32 before and after an addition become zeros of their sign. */
    private static int flushedSum(int a, int b) {
        float x = FloatOps.flush(Float.intBitsToFloat(a));
        float y = FloatOps.flush(Float.intBitsToFloat(b));
        return Float.floatToRawIntBits(FloatOps.flush(x + y));
    }

    /** What is written, by the bits of what was there. */
    static long apply(AtomicKind kind, Type type, long old, long value, long swap) {
        boolean wide = type.bits() == 64;
        return switch (kind) {
            case EXCH -> value;
            case CAS -> {
                long mask = wide ? -1 : (1L << type.bits()) - 1;
                yield (old & mask) == (value & mask) ? swap : old;
            }
            case AND -> old & value;
            case OR -> old | value;
            case XOR -> old ^ value;
            case INC -> Integer.compareUnsigned((int) old, (int) value) >= 0 ? 0 : old + 1;
            case DEC -> (int) old == 0 || Integer.compareUnsigned((int) old, (int) value) > 0 ? value : old - 1;
            case ADD -> add(type, old, value);
            case MIN -> extreme(type, old, value, true);
            case MAX -> extreme(type, old, value, false);
        };
    }

    private static long add(Type type, long old, long value) {
        return switch (type) {
            case F32 -> Float.floatToRawIntBits(Float.intBitsToFloat((int) old) + Float.intBitsToFloat((int) value));
            case F64 -> Double.doubleToRawLongBits(Double.longBitsToDouble(old) + Double.longBitsToDouble(value));
            case F16 -> HalfOps.add((int) old & 0xffff, (int) value & 0xffff, 0);
            case BF16 -> HalfOps.add((int) old & 0xffff, (int) value & 0xffff, 1);
            case F16X2 -> pair((int) old, (int) value, 0);
            case BF16X2 -> pair((int) old, (int) value, 1);
            default -> old + value;
        };
    }

    private static int pair(int a, int b, int format) {
        return HalfOps.add(a & 0xffff, b & 0xffff, format) | HalfOps.add(a >>> 16, b >>> 16, format) << 16;
    }

    private static long extreme(Type type, long a, long b, boolean least) {
        boolean first = switch (type) {
            case S32 -> (int) a < (int) b;
            case U32 -> Integer.compareUnsigned((int) a, (int) b) < 0;
            case S64 -> a < b;
            default -> Long.compareUnsigned(a, b) < 0;
        };
        return first == least ? a : b;
    }
}
