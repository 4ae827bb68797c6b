package dev.panamark.driver.hip;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.hip.PFN_hipFree;
import dev.panamark.raw.hip.PFN_hipMemcpyDtoD;
import dev.panamark.raw.hip.PFN_hipMemcpyDtoH;
import dev.panamark.raw.hip.PFN_hipMemcpyHtoD;
import dev.panamark.raw.hip.PFN_hipMemsetD32;
import dev.panamark.raw.hip.PFN_hipMemsetD8;
import java.lang.foreign.MemorySegment;
import java.util.Locale;

/** Memory of a device. What is read and written of it is held within its bounds; segments of the host are native. */
public final class HipMemory implements AutoCloseable {
    private final HipCalls calls;
    private final long address;
    private final long bytes;
    private final OwnedHandle owned;

    HipMemory(HipContext context, long address, long bytes) {
        this.calls = context.calls();
        this.address = address;
        this.bytes = bytes;
        this.owned = context.own(
                "memory of " + bytes + " bytes at 0x" + Long.toHexString(address),
                () -> calls.check(
                        HipFunction.FREE,
                        PFN_hipFree.invoke(calls.address(HipFunction.FREE), MemorySegment.ofAddress(address))));
    }

    /** As kernels see it. */
    public long address() {
        owned.requireOpen();
        return address;
    }

    /** Bytes. */
    public long size() {
        return bytes;
    }

    /** A range of it, which only the library may look into. */
    MemorySegment range(long offset, long length) {
        owned.requireOpen();
        if (offset < 0 || length < 0 || length > bytes - offset) {
            throw new IndexOutOfBoundsException(
                    String.format(Locale.ROOT, "%d bytes from offset %d on of %s", length, offset, owned));
        }
        return MemorySegment.ofAddress(address + offset);
    }

    /** A range of words of it. */
    MemorySegment words(long offset, long words) {
        if (offset % Integer.BYTES != 0) {
            throw new IllegalArgumentException("words begin at offset " + offset + ", which is no multiple of 4");
        }
        return range(offset, Math.multiplyExact(words, Integer.BYTES));
    }

    /** Copies from the host, which may then be reused ({@code hipMemcpyHtoD}). */
    public void upload(long offset, MemorySegment from) {
        long length = from.byteSize();
        MemorySegment to = range(offset, length);
        check(
                HipFunction.MEMCPY_HTOD,
                PFN_hipMemcpyHtoD.invoke(calls.address(HipFunction.MEMCPY_HTOD), to, from, length),
                length);
    }

    /** Copies to the host, after everything that was put into the default stream ({@code hipMemcpyDtoH}). */
    public void download(long offset, MemorySegment to) {
        long length = to.byteSize();
        MemorySegment from = range(offset, length);
        check(
                HipFunction.MEMCPY_DTOH,
                PFN_hipMemcpyDtoH.invoke(calls.address(HipFunction.MEMCPY_DTOH), to, from, length),
                length);
    }

    /** Copies from other memory of the device ({@code hipMemcpyDtoD}). */
    public void copy(long offset, HipMemory from, long fromOffset, long length) {
        MemorySegment to = range(offset, length);
        MemorySegment source = from.range(fromOffset, length);
        check(
                HipFunction.MEMCPY_DTOD,
                PFN_hipMemcpyDtoD.invoke(calls.address(HipFunction.MEMCPY_DTOD), to, source, length),
                length);
    }

    /** Sets bytes to a value ({@code hipMemsetD8}). */
    public void fill(long offset, long length, byte value) {
        MemorySegment to = range(offset, length);
        check(
                HipFunction.MEMSET_D8,
                PFN_hipMemsetD8.invoke(calls.address(HipFunction.MEMSET_D8), to, value, length),
                length);
    }

    /**
     * Sets 32-bit words to a value ({@code hipMemsetD32}).
     *
     * @param offset a multiple of 4
     * @param words how many
     */
    public void fillWords(long offset, long words, int value) {
        MemorySegment to = words(offset, words);
        check(
                HipFunction.MEMSET_D32,
                PFN_hipMemsetD32.invoke(calls.address(HipFunction.MEMSET_D32), to, value, words),
                Integer.BYTES * words);
    }

    private void check(HipFunction function, int status, long length) {
        calls.check(function, status, () -> length + " bytes of " + owned);
    }

    @Override
    public void close() {
        owned.close();
    }
}
