package dev.panamark.driver.cuda;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.cuda.PFN_cuModuleGetFunction;
import dev.panamark.raw.cuda.PFN_cuModuleGetGlobal_v2;
import dev.panamark.raw.cuda.PFN_cuModuleLoadDataEx;
import dev.panamark.raw.cuda.PFN_cuModuleUnload;
import dev.panamark.raw.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Code loaded into a context. */
public final class CudaModule implements AutoCloseable {
    private static final int LOG_BYTES = 16 << 10;

    private final CudaContext context;
    private final CudaCalls calls;
    private final MemorySegment module;
    private final String log;
    private final OwnedHandle owned;

    private CudaModule(CudaContext context, MemorySegment module, String log) {
        this.context = context;
        this.calls = context.calls();
        this.module = module;
        this.log = log;
        this.owned = context.own(
                "a module",
                () -> calls.check(
                        CudaFunction.MODULE_UNLOAD,
                        PFN_cuModuleUnload.invoke(calls.address(CudaFunction.MODULE_UNLOAD), module)));
    }

    /**
     * A variable of a module.
     *
     * @param address as kernels see it
     * @param bytes its size
     */
    public record Global(long address, long bytes) {}

    static CudaModule load(CudaContext context, byte[] image) {
        CudaCalls calls = context.calls();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = arena.allocate(image.length + 1L, Long.BYTES); // a zero ends text
            MemorySegment.copy(image, 0, data, ValueLayout.JAVA_BYTE, 0, image.length);
            MemorySegment information = arena.allocate(LOG_BYTES);
            MemorySegment errors = arena.allocate(LOG_BYTES);
            int[] options = {
                cuda_h.CU_JIT_INFO_LOG_BUFFER(),
                cuda_h.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES(),
                cuda_h.CU_JIT_ERROR_LOG_BUFFER(),
                cuda_h.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES(),
                cuda_h.CU_JIT_GENERATE_LINE_INFO()
            };
            // Each value is a pointer or a number in the place of one.
            long[] values = {information.address(), LOG_BYTES - 1, errors.address(), LOG_BYTES - 1, 1};
            MemorySegment module = arena.allocate(cuda_h.C_POINTER);
            int status = PFN_cuModuleLoadDataEx.invoke(
                    calls.address(CudaFunction.MODULE_LOAD_DATA_EX),
                    module,
                    data,
                    options.length,
                    arena.allocateFrom(cuda_h.C_INT, options),
                    arena.allocateFrom(ValueLayout.JAVA_LONG, values));
            if (status != cuda_h.CUDA_SUCCESS()) {
                String said = errors.getString(0).strip();
                throw calls.failure(
                        CudaFunction.MODULE_LOAD_DATA_EX, status, said.isEmpty() ? "" : "the compiler said: " + said);
            }
            return new CudaModule(
                    context,
                    module.get(cuda_h.C_POINTER, 0),
                    information.getString(0).strip());
        }
    }

    /** What the driver's compiler said while it was loaded; empty where it said nothing, as for a cubin. */
    public String log() {
        return log;
    }

    /**
     * A kernel of it ({@code cuModuleGetFunction}).
     *
     * @param name as in the image, with C++ names encoded
     * @throws CudaException {@code CUDA_ERROR_NOT_FOUND} where there is none of this name
     */
    public CudaKernel kernel(String name) {
        owned.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment function = arena.allocate(cuda_h.C_POINTER);
            int status = PFN_cuModuleGetFunction.invoke(
                    calls.address(CudaFunction.MODULE_GET_FUNCTION), function, module, arena.allocateFrom(name));
            if (status != cuda_h.CUDA_SUCCESS()) {
                throw calls.failure(CudaFunction.MODULE_GET_FUNCTION, status, "kernel '" + name + "' was asked for");
            }
            return new CudaKernel(context, owned, name, function.get(cuda_h.C_POINTER, 0));
        }
    }

    /**
     * A {@code __device__} or {@code __constant__} variable of it ({@code cuModuleGetGlobal}).
     *
     * @throws CudaException {@code CUDA_ERROR_NOT_FOUND} where there is none of this name
     */
    public Global global(String name) {
        owned.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(cuda_h.C_LONG_LONG);
            MemorySegment bytes = arena.allocate(cuda_h.C_LONG);
            int status = PFN_cuModuleGetGlobal_v2.invoke(
                    calls.address(CudaFunction.MODULE_GET_GLOBAL), address, bytes, module, arena.allocateFrom(name));
            if (status != cuda_h.CUDA_SUCCESS()) {
                throw calls.failure(CudaFunction.MODULE_GET_GLOBAL, status, "variable '" + name + "' was asked for");
            }
            return new Global(address.get(cuda_h.C_LONG_LONG, 0), bytes.get(cuda_h.C_LONG, 0));
        }
    }

    @Override
    public void close() {
        owned.close();
    }
}
