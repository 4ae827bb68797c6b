package dev.panamark.driver.hip;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.hip.PFN_hipGraphExecDestroy;
import dev.panamark.raw.hip.PFN_hipGraphLaunch;
import dev.panamark.raw.hip.PFN_hipGraphUpload;
import java.lang.foreign.MemorySegment;

/** A graph that can be launched, any number of times. */
public final class HipGraphExec implements AutoCloseable {
    private final HipCalls calls;
    private final MemorySegment executable;
    private final OwnedHandle owned;

    HipGraphExec(HipContext context, MemorySegment executable) {
        this.calls = context.calls();
        this.executable = executable;
        this.owned = context.own(
                "an executable graph",
                () -> calls.check(
                        HipFunction.GRAPH_EXEC_DESTROY,
                        PFN_hipGraphExecDestroy.invoke(calls.address(HipFunction.GRAPH_EXEC_DESTROY), executable)));
    }

    /** Puts it on the device, so that the first launch is like the others ({@code hipGraphUpload}, HIP 5.3). */
    public void upload(HipStream stream) {
        owned.requireOpen();
        calls.check(
                HipFunction.GRAPH_UPLOAD,
                PFN_hipGraphUpload.invoke(calls.address(HipFunction.GRAPH_UPLOAD), executable, stream.stream()));
    }

    /** Puts all of its work into a stream ({@code hipGraphLaunch}). Allocates nothing. */
    public void launch(HipStream stream) {
        owned.requireOpen();
        calls.check(
                HipFunction.GRAPH_LAUNCH,
                PFN_hipGraphLaunch.invoke(calls.address(HipFunction.GRAPH_LAUNCH), executable, stream.stream()));
    }

    @Override
    public void close() {
        owned.close();
    }
}
