package dev.panamark.driver.hip;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.hip.PFN_hipGraphDestroy;
import dev.panamark.raw.hip.PFN_hipGraphInstantiateWithFlags;
import java.lang.foreign.MemorySegment;

/** Work that was collected from a stream. */
public final class HipGraph implements AutoCloseable {
    private final HipContext context;
    private final MemorySegment graph;
    private final OwnedHandle owned;

    HipGraph(HipContext context, MemorySegment graph) {
        HipCalls calls = context.calls();
        this.context = context;
        this.graph = graph;
        this.owned = context.own(
                "a graph",
                () -> calls.check(
                        HipFunction.GRAPH_DESTROY,
                        PFN_hipGraphDestroy.invoke(calls.address(HipFunction.GRAPH_DESTROY), graph)));
    }

    /** Makes it ready to be launched ({@code hipGraphInstantiateWithFlags}); this graph may then be closed. */
    public HipGraphExec instantiate() {
        owned.requireOpen();
        MemorySegment executable = context.calls()
                .handle(
                        HipFunction.GRAPH_INSTANTIATE,
                        () -> "",
                        (f, out) -> PFN_hipGraphInstantiateWithFlags.invoke(f, out, graph, 0));
        return new HipGraphExec(context, executable);
    }

    @Override
    public void close() {
        owned.close();
    }
}
