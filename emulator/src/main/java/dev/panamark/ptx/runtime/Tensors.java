package dev.panamark.ptx.runtime;

import dev.panamark.ptx.ir.Site;
import dev.panamark.ptx.ir.Sync;

/** What all lanes of a warp do with matrices. Of one block, so of one thread. */
final class Tensors {
    private final MatrixAccess access;
    private final MatrixMath math;

    Tensors(SegmentCounts counters, VectorUse vectors) {
        math = new MatrixMath(vectors);
        access = new MatrixAccess(counters);
    }

    void execute(Warp warp, Site site, Sync.Tensor tensor) {
        switch (tensor) {
            case Sync.MultiplyMatrices multiply -> math.multiply(warp, multiply);
            case Sync.LoadMatrices load -> access.load(warp, site, load);
            case Sync.StoreMatrices store -> access.store(warp, site, store);
            case Sync.TransposeMatrix transpose -> MatrixAccess.transpose(warp, transpose);
            case Sync.LoadFragment load -> access.load(warp, site, load);
            case Sync.StoreFragment store -> access.store(warp, site, store);
        }
    }
}
