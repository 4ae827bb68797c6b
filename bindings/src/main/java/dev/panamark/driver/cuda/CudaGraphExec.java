package dev.panamark.driver.cuda;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.cuda.PFN_cuGraphExecDestroy;
import dev.panamark.raw.cuda.PFN_cuGraphLaunch;
import dev.panamark.raw.cuda.PFN_cuGraphUpload;
import java.lang.foreign.MemorySegment;

/** A graph that can be launched, any number of times. */
public final class CudaGraphExec implements AutoCloseable {
    private final CudaCalls calls;
    private final MemorySegment executable;
    private final OwnedHandle owned;

    CudaGraphExec(CudaContext context, MemorySegment executable) {
        this.calls = context.calls();
        this.executable = executable;
        this.owned = context.own(
                "an executable graph",
                () -> calls.check(
                        CudaFunction.GRAPH_EXEC_DESTROY,
                        PFN_cuGraphExecDestroy.invoke(calls.address(CudaFunction.GRAPH_EXEC_DESTROY), executable)));
    }

    /** Puts it on the device, so that the first launch is like the others ({@code cuGraphUpload}, CUDA 11.1). */
    public void upload(CudaStream stream) {
        owned.requireOpen();
        calls.check(
                CudaFunction.GRAPH_UPLOAD,
                PFN_cuGraphUpload.invoke(calls.address(CudaFunction.GRAPH_UPLOAD), executable, stream.stream()));
    }

    /** Puts all of its work into a stream ({@code cuGraphLaunch}). Allocates nothing. */
    public void launch(CudaStream stream) {
        owned.requireOpen();
        calls.check(
                CudaFunction.GRAPH_LAUNCH,
                PFN_cuGraphLaunch.invoke(calls.address(CudaFunction.GRAPH_LAUNCH), executable, stream.stream()));
    }

    @Override
    public void close() {
        owned.close();
    }
}
