package dev.panamark.driver.cuda;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.cuda.PFN_cuMemFree_v2;
import dev.panamark.raw.cuda.PFN_cuMemcpyDtoD_v2;
import dev.panamark.raw.cuda.PFN_cuMemcpyDtoH_v2;
import dev.panamark.raw.cuda.PFN_cuMemcpyHtoD_v2;
import dev.panamark.raw.cuda.PFN_cuMemsetD32_v2;
import dev.panamark.raw.cuda.PFN_cuMemsetD8_v2;
import dev.panamark.raw.cuda.cuda_h;
import java.lang.foreign.MemorySegment;
import java.util.Locale;

/** Memory of a device. What is read and written of it is held within its bounds; segments of the host are native. */
public final class CudaMemory implements AutoCloseable {
    private final CudaCalls calls;
    private final long address;
    private final long bytes;
    private final OwnedHandle owned;

    CudaMemory(CudaContext context, long address, long bytes) {
        this.calls = context.calls();
        this.address = address;
        this.bytes = bytes;
        this.owned = context.own(
                "memory of " + bytes + " bytes at 0x" + Long.toHexString(address),
                () -> calls.check(
                        CudaFunction.MEM_FREE, PFN_cuMemFree_v2.invoke(calls.address(CudaFunction.MEM_FREE), address)));
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

    /** The address of a range of it. */
    long address(long offset, long length) {
        owned.requireOpen();
        if (offset < 0 || length < 0 || length > bytes - offset) {
            throw new IndexOutOfBoundsException(
                    String.format(Locale.ROOT, "%d bytes from offset %d on of %s", length, offset, owned));
        }
        return address + offset;
    }

    /** Copies from the host, which may then be reused ({@code cuMemcpyHtoD}). */
    public void upload(long offset, MemorySegment from) {
        check(
                CudaFunction.MEMCPY_HTOD,
                PFN_cuMemcpyHtoD_v2.invoke(
                        calls.address(CudaFunction.MEMCPY_HTOD),
                        address(offset, from.byteSize()),
                        from,
                        from.byteSize()),
                from.byteSize());
    }

    /** Copies to the host, after everything that was put into the default stream ({@code cuMemcpyDtoH}). */
    public void download(long offset, MemorySegment to) {
        check(
                CudaFunction.MEMCPY_DTOH,
                PFN_cuMemcpyDtoH_v2.invoke(
                        calls.address(CudaFunction.MEMCPY_DTOH), to, address(offset, to.byteSize()), to.byteSize()),
                to.byteSize());
    }

    /** Copies from other memory of the device ({@code cuMemcpyDtoD}). */
    public void copy(long offset, CudaMemory from, long fromOffset, long length) {
        check(
                CudaFunction.MEMCPY_DTOD,
                PFN_cuMemcpyDtoD_v2.invoke(
                        calls.address(CudaFunction.MEMCPY_DTOD),
                        address(offset, length),
                        from.address(fromOffset, length),
                        length),
                length);
    }

    /** Sets bytes to a value ({@code cuMemsetD8}). */
    public void fill(long offset, long length, byte value) {
        check(
                CudaFunction.MEMSET_D8,
                PFN_cuMemsetD8_v2.invoke(calls.address(CudaFunction.MEMSET_D8), address(offset, length), value, length),
                length);
    }

    /**
     * Sets 32-bit words to a value ({@code cuMemsetD32}).
     *
     * @param offset a multiple of 4
     * @param words how many
     */
    public void fillWords(long offset, long words, int value) {
        check(
                CudaFunction.MEMSET_D32,
                PFN_cuMemsetD32_v2.invoke(
                        calls.address(CudaFunction.MEMSET_D32), wordAddress(offset, words), value, words),
                Integer.BYTES * words);
    }

    /** The address of a range of words. */
    long wordAddress(long offset, long words) {
        if (offset % Integer.BYTES != 0) {
            throw new IllegalArgumentException("words begin at offset " + offset + ", which is no multiple of 4");
        }
        return address(offset, Math.multiplyExact(words, Integer.BYTES));
    }

    private void check(CudaFunction function, int status, long length) {
        if (status != cuda_h.CUDA_SUCCESS()) {
            throw calls.failure(function, status, length + " bytes of " + owned);
        }
    }

    @Override
    public void close() {
        owned.close();
    }
}
