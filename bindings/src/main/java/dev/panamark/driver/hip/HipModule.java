package dev.panamark.driver.hip;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.hip.PFN_hipModuleGetFunction;
import dev.panamark.raw.hip.PFN_hipModuleGetGlobal;
import dev.panamark.raw.hip.PFN_hipModuleLoadData;
import dev.panamark.raw.hip.PFN_hipModuleUnload;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;

/** Code loaded onto a device. */
public final class HipModule implements AutoCloseable {
    /** The runtime is not told the size: it reads the header of an ELF file whatever is there. */
    private static final int HEADER_BYTES = 64;

    private static final int PAGE_BYTES = 4096;

    private final HipContext context;
    private final HipCalls calls;
    private final MemorySegment module;
    private final OwnedHandle owned;

    private HipModule(HipContext context, MemorySegment module, MemorySegment image) {
        this.context = context;
        this.calls = context.calls();
        this.module = module;
        this.owned = context.own("a module", () -> {
            try {
                calls.check(
                        HipFunction.MODULE_UNLOAD,
                        PFN_hipModuleUnload.invoke(calls.address(HipFunction.MODULE_UNLOAD), module));
            } finally {
                // The manual does not say that the runtime copies the image, so it stays for as long as the module.
                Reference.reachabilityFence(image);
            }
        });
    }

    /**
     * A variable of a module.
     *
     * @param address as kernels see it
     * @param bytes its size
     */
    public record Global(long address, long bytes) {}

    static HipModule load(HipContext context, byte[] image) {
        MemorySegment data = Arena.ofAuto().allocate(Math.max(HEADER_BYTES, image.length), PAGE_BYTES);
        MemorySegment.copy(image, 0, data, ValueLayout.JAVA_BYTE, 0, image.length);
        MemorySegment module = context.calls()
                .handle(
                        HipFunction.MODULE_LOAD_DATA,
                        () -> "an image of " + image.length + " bytes for " + context.device(),
                        (f, out) -> PFN_hipModuleLoadData.invoke(f, out, data));
        return new HipModule(context, module, data);
    }

    /**
     * A kernel of it ({@code hipModuleGetFunction}).
     *
     * @param name as in the image, with C++ names encoded
     * @throws HipException {@code hipErrorNotFound} where there is none of this name
     */
    public HipKernel kernel(String name) {
        owned.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            MemorySegment function = calls.handle(
                    HipFunction.MODULE_GET_FUNCTION,
                    () -> "kernel '" + name + "' was asked for",
                    (f, out) -> PFN_hipModuleGetFunction.invoke(f, out, module, text));
            return new HipKernel(context, owned, name, function);
        }
    }

    /**
     * A {@code __device__} or {@code __constant__} variable of it ({@code hipModuleGetGlobal}).
     *
     * @throws HipException {@code hipErrorNotFound} where there is none of this name
     */
    public Global global(String name) {
        owned.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            long[] both = calls.sizes(
                    HipFunction.MODULE_GET_GLOBAL,
                    () -> "variable '" + name + "' was asked for",
                    (f, out) -> PFN_hipModuleGetGlobal.invoke(f, out, out.asSlice(Long.BYTES), module, text));
            return new Global(both[0], both[1]);
        }
    }

    @Override
    public void close() {
        owned.close();
    }
}
