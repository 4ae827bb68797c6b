package dev.panamark.driver.cuda;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.cuda.PFN_cuGraphDestroy;
import dev.panamark.raw.cuda.PFN_cuGraphInstantiateWithFlags;
import dev.panamark.raw.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Work that was collected from a stream. */
public final class CudaGraph implements AutoCloseable {
    private final CudaContext context;
    private final CudaCalls calls;
    private final MemorySegment graph;
    private final OwnedHandle owned;

    CudaGraph(CudaContext context, MemorySegment graph) {
        this.context = context;
        this.calls = context.calls();
        this.graph = graph;
        this.owned = context.own(
                "a graph",
                () -> calls.check(
                        CudaFunction.GRAPH_DESTROY,
                        PFN_cuGraphDestroy.invoke(calls.address(CudaFunction.GRAPH_DESTROY), graph)));
    }

    /** Makes it ready to be launched ({@code cuGraphInstantiateWithFlags}, CUDA 11.4); this graph may then be closed. */
    public CudaGraphExec instantiate() {
        owned.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment executable = arena.allocate(cuda_h.C_POINTER);
            calls.check(
                    CudaFunction.GRAPH_INSTANTIATE,
                    PFN_cuGraphInstantiateWithFlags.invoke(
                            calls.address(CudaFunction.GRAPH_INSTANTIATE), executable, graph, 0));
            return new CudaGraphExec(context, executable.get(cuda_h.C_POINTER, 0));
        }
    }

    @Override
    public void close() {
        owned.close();
    }
}
