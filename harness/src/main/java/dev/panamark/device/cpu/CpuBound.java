package dev.panamark.device.cpu;

import dev.panamark.device.Bound;
import dev.panamark.device.UnsupportedException;
import dev.panamark.driver.host.HostFunction;
import dev.panamark.kernel.Dim3;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** A kernel with its parameters; a launch returns when all blocks are done. */
@SuppressWarnings("ReferenceEquality") // another object with the same extents is merely written out again
final class CpuBound implements Bound, BlockPool.Task {
    private final BlockPool pool;
    private final HostFunction function;
    private final MemorySegment args;
    private final MemorySegment extents = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, 3);
    private final CpuBuffer[] buffers;

    // A grid is launched many times; checking it and writing it out takes as long as the call itself.
    private @Nullable Dim3 lastGrid;
    private long blocks;

    CpuBound(BlockPool pool, HostFunction function, ArgumentBlock args) {
        this.pool = pool;
        this.function = function;
        this.args = args.segment();
        this.buffers = args.buffers().toArray(CpuBuffer[]::new);
    }

    @Override
    public void launch(Dim3 grid, Dim3 block, long shared) {
        if (block.x() != 1 || block.y() != 1 || block.z() != 1 || shared != 0) {
            throw refused(block, shared);
        }
        for (CpuBuffer buffer : buffers) {
            buffer.requireOpen();
        }
        if (grid != lastGrid) {
            set(grid);
        }
        if (blocks == 1) {
            function.call(args, extents, 0, 1);
        } else {
            pool.run(this, blocks);
        }
    }

    private void set(Dim3 grid) {
        blocks = CpuLaunchRules.blocks(function.name(), grid);
        extents.setAtIndex(ValueLayout.JAVA_LONG, 0, grid.x());
        extents.setAtIndex(ValueLayout.JAVA_LONG, 1, grid.y());
        extents.setAtIndex(ValueLayout.JAVA_LONG, 2, grid.z());
        lastGrid = grid;
    }

    @Override
    public void run(long first, long last) {
        function.call(args, extents, first, last);
    }

    private UnsupportedException refused(Dim3 block, long shared) {
        return CpuLaunchRules.block(function.name(), block)
                .or(() -> CpuLaunchRules.shared(function.name(), shared))
                .orElseThrow();
    }
}
