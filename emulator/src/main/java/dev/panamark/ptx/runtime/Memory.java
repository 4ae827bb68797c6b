package dev.panamark.ptx.runtime;

import dev.panamark.ptx.DeviceMemory;
import dev.panamark.ptx.KernelFault;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Checked accesses of one lane. A generic address at or above {@link DeviceMemory#LOWEST} is global; below are
 * windows to the others. Values are little-endian; short ones come zero-extended.
 */
public final class Memory {
    public static final long SHARED_WINDOW = 0x1000_0000L;
    public static final long LOCAL_WINDOW = 0x2000_0000L;
    public static final long PARAM_WINDOW = 0x3000_0000L;

    /** Places of one instruction in {@link Warp#bounds}. */
    public static final int BOUNDS = 4;

    private static final long WINDOW = 0x1000_0000L;

    private static final VarHandle SHORTS =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** How global memory is read; public for compiled code. */
    public static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

    public static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Memory() {}

    public static int load8(byte[] array, int at) {
        return array[at] & 0xff;
    }

    public static int load16(byte[] array, int at) {
        return (short) SHORTS.get(array, at) & 0xffff;
    }

    public static int load32(byte[] array, int at) {
        return (int) INTS.get(array, at);
    }

    public static long load64(byte[] array, int at) {
        return (long) LONGS.get(array, at);
    }

    public static void store8(byte[] array, int at, int value) {
        array[at] = (byte) value;
    }

    public static void store16(byte[] array, int at, int value) {
        SHORTS.set(array, at, (short) value);
    }

    public static void store32(byte[] array, int at, int value) {
        INTS.set(array, at, value);
    }

    public static void store64(byte[] array, int at, long value) {
        LONGS.set(array, at, value);
    }

    public static int load8(int[] words, int at) {
        return words[at >> 2] >>> ((at & 3) << 3) & 0xff;
    }

    public static int load16(int[] words, int at) {
        return words[at >> 2] >>> ((at & 2) << 3) & 0xffff;
    }

    public static void store8(int[] words, int at, int value) {
        int shift = (at & 3) << 3;
        words[at >> 2] = (words[at >> 2] & ~(0xff << shift)) | (value & 0xff) << shift;
    }

    public static void store16(int[] words, int at, int value) {
        int shift = (at & 2) << 3;
        words[at >> 2] = (words[at >> 2] & ~(0xffff << shift)) | (value & 0xffff) << shift;
    }

    public static long load64(int[] words, int at) {
        return (words[at >> 2] & 0xffffffffL) | (long) words[(at >> 2) + 1] << 32;
    }

    public static void store64(int[] words, int at, long value) {
        words[(at >> 2) + 1] = (int) (value >>> 32);
        words[at >> 2] = (int) value;
    }

    public static long load(int[] words, int at, int bytes) {
        return switch (bytes) {
            case 1 -> load8(words, at);
            case 2 -> load16(words, at);
            case 4 -> words[at >> 2];
            default -> load64(words, at);
        };
    }

    public static void store(int[] words, int at, int bytes, long value) {
        switch (bytes) {
            case 1 -> store8(words, at, (int) value);
            case 2 -> store16(words, at, (int) value);
            case 4 -> words[at >> 2] = (int) value;
            default -> store64(words, at, value);
        }
    }

    public static int load8(MemorySegment memory, long at) {
        return memory.get(ValueLayout.JAVA_BYTE, at) & 0xff;
    }

    public static int load16(MemorySegment memory, long at) {
        return memory.get(SHORT, at) & 0xffff;
    }

    public static int load32(MemorySegment memory, long at) {
        return memory.get(INT, at);
    }

    public static long load64(MemorySegment memory, long at) {
        return memory.get(LONG, at);
    }

    public static void store8(MemorySegment memory, long at, int value) {
        memory.set(ValueLayout.JAVA_BYTE, at, (byte) value);
    }

    public static void store16(MemorySegment memory, long at, int value) {
        memory.set(SHORT, at, (short) value);
    }

    public static void store32(MemorySegment memory, long at, int value) {
        memory.set(INT, at, value);
    }

    public static void store64(MemorySegment memory, long at, long value) {
        memory.set(LONG, at, value);
    }

    /** {@code address} in shared memory where {@code bytes} from there are in it and it is aligned. */
    public static int shared(Warp warp, int lane, int site, int address, int bytes) {
        int limit = 4 * warp.shared.length - bytes;
        if ((address | (limit - address)) < 0 || (address & (bytes - 1)) != 0) {
            throw warp.fault(
                    (address & (bytes - 1)) != 0 ? KernelFault.Kind.MISALIGNED : KernelFault.Kind.OUT_OF_BOUNDS,
                    site,
                    lane,
                    "shared",
                    Integer.toUnsignedLong(address),
                    bytes,
                    "the block has " + 4 * warp.shared.length + " bytes");
        }
        return address;
    }

    /** The place in {@link Warp#local} of a lane's address. */
    public static int local(Warp warp, int lane, int site, int address, int bytes) {
        int size = warp.localBytes;
        if ((address & (bytes - 1)) != 0 || address < 0 || address > size - bytes) {
            throw warp.fault(
                    (address & (bytes - 1)) != 0 ? KernelFault.Kind.MISALIGNED : KernelFault.Kind.OUT_OF_BOUNDS,
                    site,
                    lane,
                    "local",
                    Integer.toUnsignedLong(address),
                    bytes,
                    "a thread has " + size + " bytes");
        }
        return lane * size + address;
    }

    /** {@code address} in global memory where {@code bytes} from there are in one allocation and it is aligned. */
    public static long global(Warp warp, int lane, int site, long address, int bytes) {
        long[] bounds = warp.bounds;
        long place = Long.rotateRight(address - bounds[BOUNDS * site], Integer.numberOfTrailingZeros(bytes));
        if (Long.compareUnsigned(place, bounds[BOUNDS * site + 1]) > 0) {
            found(warp, lane, site, address, bytes);
        }
        return address;
    }

    private static void found(Warp warp, int lane, int site, long address, int bytes) {
        long[] allocation = warp.memory.allocation(address);
        boolean inside = allocation.length == 2 && address <= allocation[1] - bytes;
        if ((address & (bytes - 1)) != 0 || !inside) {
            throw warp.fault(
                    inside ? KernelFault.Kind.MISALIGNED : KernelFault.Kind.OUT_OF_BOUNDS,
                    site,
                    lane,
                    "global",
                    address,
                    bytes,
                    allocation.length == 2
                            ? "it begins at " + warp.memory.within(address)
                            : warp.memory.neighbours(address));
        }
        // Start, and the last place in units of the access: rotated, what is misaligned is far beyond it.
        warp.bounds[BOUNDS * site] = allocation[0];
        warp.bounds[BOUNDS * site + 1] = (allocation[1] - allocation[0] - bytes) / bytes;
    }

    /**
     * Looks an allocation up that holds {@code bytes} from {@code address} on, a multiple of {@code unit}, and notes it for
     * the accesses there of which {@code site} is the first.
     *
     * @return whether there is one; without, each access must be checked on its own
     */
    public static boolean together(Warp warp, int site, long address, int bytes, int unit) {
        long[] allocation = warp.memory.allocation(address);
        if (allocation.length != 2 || (address & (unit - 1)) != 0 || address > allocation[1] - bytes) {
            return false;
        }
        warp.bounds[BOUNDS * site + 2] = allocation[0];
        warp.bounds[BOUNDS * site + 3] = (allocation[1] - allocation[0] - bytes) / unit;
        return true;
    }

    /** Checks a vector access of {@code bytes} to a generic address, before its parts. */
    public static void genericCheck(Warp warp, int lane, int site, long address, int bytes) {
        int offset = (int) (address & (WINDOW - 1));
        if (address >= DeviceMemory.LOWEST || address < SHARED_WINDOW) {
            global(warp, lane, site, address, bytes);
        } else if (address < LOCAL_WINDOW) {
            shared(warp, lane, site, offset, bytes);
        } else if (address < PARAM_WINDOW) {
            local(warp, lane, site, offset, bytes);
        } else {
            parameter(warp, lane, site, offset, bytes);
        }
    }

    /** The value at a generic address; {@code bytes} 1 to 8. */
    public static long generic(Warp warp, int lane, int site, long address, int bytes) {
        if (address >= DeviceMemory.LOWEST || address < SHARED_WINDOW) {
            return load(warp.global, global(warp, lane, site, address, bytes), bytes);
        }
        int offset = (int) (address & (WINDOW - 1));
        if (address < LOCAL_WINDOW) {
            return load(warp.shared, shared(warp, lane, site, offset, bytes), bytes);
        }
        if (address < PARAM_WINDOW) {
            return load(warp.local, local(warp, lane, site, offset, bytes), bytes);
        }
        return load(warp.parameters, parameter(warp, lane, site, offset, bytes), bytes);
    }

    public static void generic(Warp warp, int lane, int site, long address, int bytes, long value) {
        if (address >= DeviceMemory.LOWEST || address < SHARED_WINDOW) {
            store(warp.global, global(warp, lane, site, address, bytes), bytes, value);
            return;
        }
        int offset = (int) (address & (WINDOW - 1));
        if (address < LOCAL_WINDOW) {
            store(warp.shared, shared(warp, lane, site, offset, bytes), bytes, value);
        } else if (address < PARAM_WINDOW) {
            store(warp.local, local(warp, lane, site, offset, bytes), bytes, value);
        } else {
            throw warp.fault(
                    KernelFault.Kind.OUT_OF_BOUNDS, site, lane, "parameter", offset, bytes, "parameters are read only");
        }
    }

    /** A place in the parameters. */
    public static int parameter(Warp warp, int lane, int site, int address, int bytes) {
        if ((address & (bytes - 1)) != 0 || address < 0 || address > warp.parameters.length - bytes) {
            throw warp.fault(
                    (address & (bytes - 1)) != 0 ? KernelFault.Kind.MISALIGNED : KernelFault.Kind.OUT_OF_BOUNDS,
                    site,
                    lane,
                    "parameter",
                    Integer.toUnsignedLong(address),
                    bytes,
                    "the kernel has " + warp.parameters.length + " bytes of parameters");
        }
        return address;
    }

    public static long load(byte[] array, int at, int bytes) {
        return switch (bytes) {
            case 1 -> load8(array, at);
            case 2 -> load16(array, at);
            case 4 -> load32(array, at);
            default -> load64(array, at);
        };
    }

    public static long load(MemorySegment memory, long at, int bytes) {
        return switch (bytes) {
            case 1 -> load8(memory, at);
            case 2 -> load16(memory, at);
            case 4 -> load32(memory, at);
            default -> load64(memory, at);
        };
    }

    public static void store(byte[] array, int at, int bytes, long value) {
        switch (bytes) {
            case 1 -> store8(array, at, (int) value);
            case 2 -> store16(array, at, (int) value);
            case 4 -> store32(array, at, (int) value);
            default -> store64(array, at, value);
        }
    }

    public static void store(MemorySegment memory, long at, int bytes, long value) {
        switch (bytes) {
            case 1 -> store8(memory, at, (int) value);
            case 2 -> store16(memory, at, (int) value);
            case 4 -> store32(memory, at, (int) value);
            default -> store64(memory, at, value);
        }
    }

    /** Whether ranges of {@code length} that begin {@code distance} apart have some of their places in common, not all. */
    public static boolean overlap(long distance, int length) {
        return distance != 0 && distance < length && distance > -length;
    }
}
