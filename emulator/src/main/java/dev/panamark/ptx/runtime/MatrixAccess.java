package dev.panamark.ptx.runtime;

import dev.panamark.ptx.DeviceMemory;
import dev.panamark.ptx.KernelFault;
import dev.panamark.ptx.check.BlockChecker;
import dev.panamark.ptx.ir.Address;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.MatrixFragment;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Site;
import dev.panamark.ptx.ir.Space;
import dev.panamark.ptx.ir.Sync;
import java.util.List;

/**
 * Matrices between memory and the registers of a warp. {@code ldmatrix} and {@code stmatrix}: PTX ISA, "Warp-level matrix
 * load instruction: ldmatrix" and "Warp-level matrix store instruction: stmatrix". One request an instruction, a phase
 * of 8 rows of 16 bytes a matrix (facts/emulator.md section 4). A fragment of {@code wmma} is accessed register by
 * register: one request each where its elements follow each other in memory, else one an element.
 */
final class MatrixAccess {
    private static final int LANES = 32;
    private static final int ROW_BYTES = 16;

    /** Of a matrix of {@code ldmatrix}. */
    private static final int ROWS = 8;

    private final SegmentCounts counters;
    private final long[] addresses = new long[LANES];
    private final long[] offsets = new long[LANES];
    private final long[] bases = new long[LANES];
    private final long[] strides = new long[LANES];

    MatrixAccess(SegmentCounts counters) {
        this.counters = counters;
    }

    void load(Warp warp, Site site, Sync.LoadMatrices load) {
        int count = load.targets().size();
        rows(warp, site, load.space(), load.address(), count, false);
        for (int matrix = 0; matrix < count; matrix++) {
            int to = LANES * load.targets().get(matrix).index();
            if (load.transposed()) {
                columns(warp.shared, warp.words, ROWS * matrix, to);
            } else {
                rows(warp.shared, warp.words, ROWS * matrix, to);
            }
        }
    }

    private void rows(int[] shared, int[] words, int first, int to) {
        for (int row = 0; row < ROWS; row++) {
            int from = (int) (addresses[first + row] >> 2);
            int at = to + 4 * row;
            words[at] = shared[from];
            words[at + 1] = shared[from + 1];
            words[at + 2] = shared[from + 2];
            words[at + 3] = shared[from + 3];
        }
    }

    /** Two rows at a time: their halves of a column are a word. */
    private void columns(int[] shared, int[] words, int first, int to) {
        for (int pair = 0; pair < 4; pair++) {
            int upper = (int) (addresses[first + 2 * pair] >> 2);
            int lower = (int) (addresses[first + 2 * pair + 1] >> 2);
            for (int i = 0; i < 4; i++) {
                int above = shared[upper + i];
                int below = shared[lower + i];
                words[to + 8 * i + pair] = (above & 0xffff) | below << 16;
                words[to + 8 * i + 4 + pair] = (above >>> 16) | (below & 0xffff0000);
            }
        }
    }

    void store(Warp warp, Site site, Sync.StoreMatrices store) {
        int count = store.values().size();
        rows(warp, site, store.space(), store.address(), count, true);
        int[] shared = warp.shared;
        for (int matrix = 0; matrix < count; matrix++) {
            Expr value = store.values().get(matrix);
            for (int lane = 0; lane < LANES; lane++) {
                int word = (int) Evaluate.bits(value, warp, lane);
                int row = lane >> 2;
                int column = 2 * (lane & 3);
                if (store.transposed()) {
                    Memory.store16(shared, (int) addresses[ROWS * matrix + column] + 2 * row, word);
                    Memory.store16(shared, (int) addresses[ROWS * matrix + column + 1] + 2 * row, word >>> 16);
                } else {
                    shared[(int) (addresses[ROWS * matrix + row] >> 2) + (lane & 3)] = word;
                }
            }
        }
    }

    /** Addresses of the rows in shared memory, checked and counted. */
    private void rows(Warp warp, Site site, Space space, Address address, int matrices, boolean store) {
        int lanes = ROWS * matrices;
        if (space == Space.SHARED && address.base() instanceof Expr.Read read) {
            int from = LANES * read.register().index();
            int offset = (int) address.offset();
            int limit = 4 * warp.shared.length - ROW_BYTES;
            int wrong = 0;
            for (int lane = 0; lane < lanes; lane++) {
                int at = warp.words[from + lane] + offset;
                addresses[lane] = at;
                wrong |= at | (limit - at) | -(at & (ROW_BYTES - 1));
            }
            if (wrong >= 0) {
                count(warp, site, store, lanes);
                return;
            }
        }
        for (int lane = 0; lane < lanes; lane++) {
            long at = Evaluate.bits(address.base(), warp, lane) + address.offset();
            if (space == Space.GENERIC) {
                if (at < Memory.SHARED_WINDOW || at >= Memory.LOCAL_WINDOW) {
                    throw warp.fault(
                            KernelFault.Kind.OUT_OF_BOUNDS,
                            site.index(),
                            lane,
                            "generic",
                            at,
                            ROW_BYTES,
                            "expected an address of shared memory");
                }
                at -= Memory.SHARED_WINDOW;
            }
            addresses[lane] = Memory.shared(warp, lane, site.index(), (int) at, ROW_BYTES);
        }
        count(warp, site, store, lanes);
    }

    private void count(Warp warp, Site site, boolean store, int lanes) {
        int mask = lanes == LANES ? -1 : (1 << lanes) - 1;
        counters.together(site.index(), Space.SHARED, store, addresses, mask, ROW_BYTES);
        BlockChecker checker = warp.checker();
        if (checker != null) {
            checker.together(warp.index, site.index(), Space.SHARED, store, addresses, mask, ROW_BYTES, true);
        }
    }

    /** PTX ISA, "Warp-level matrix transpose instruction: movmatrix". */
    static void transpose(Warp warp, Sync.TransposeMatrix transpose) {
        int[] words = new int[LANES];
        for (int lane = 0; lane < LANES; lane++) {
            words[lane] = (int) Evaluate.bits(transpose.value(), warp, lane);
        }
        for (int lane = 0; lane < LANES; lane++) {
            int row = lane >> 2;
            int column = 2 * (lane & 3);
            int low = words[4 * column + row / 2] >>> (16 * (row & 1)) & 0xffff;
            int high = words[4 * (column + 1) + row / 2] >>> (16 * (row & 1));
            warp.words[LANES * transpose.target().index() + lane] = low | high << 16;
        }
    }

    void load(Warp warp, Site site, Sync.LoadFragment load) {
        begin(warp, load.address(), load.stride());
        MatrixFragment fragment = load.fragment();
        List<Register> targets = load.targets();
        int bits = fragment.element().bits();
        int perRegister = fragment.element().perRegister();
        int together = together(fragment, load.byColumns());
        int bytes = bits * together / 8;
        for (int register = 0; register < fragment.distinct(); register++) {
            long[] values = new long[LANES];
            for (int first = 0; first < perRegister; first += together) {
                place(fragment, load.byColumns(), register, first);
                check(warp, site, load.space(), bytes, false);
                for (int lane = 0; lane < LANES; lane++) {
                    values[lane] |= read(warp, site, load.space(), lane, bytes) << (bits * first);
                }
            }
            for (int copy = register; copy < fragment.registers(); copy += fragment.distinct()) {
                for (int lane = 0; lane < LANES; lane++) {
                    Evaluate.set(targets.get(copy), warp, lane, values[lane]);
                }
            }
        }
    }

    void store(Warp warp, Site site, Sync.StoreFragment store) {
        begin(warp, store.address(), store.stride());
        MatrixFragment fragment = store.fragment();
        int bits = fragment.element().bits();
        int perRegister = fragment.element().perRegister();
        int together = together(fragment, store.byColumns());
        int bytes = bits * together / 8;
        for (int register = 0; register < fragment.distinct(); register++) {
            Expr value = store.values().get(register);
            for (int first = 0; first < perRegister; first += together) {
                place(fragment, store.byColumns(), register, first);
                check(warp, site, store.space(), bytes, true);
                for (int lane = 0; lane < LANES; lane++) {
                    long raw = Evaluate.bits(value, warp, lane);
                    write(warp, site, store.space(), lane, bytes, raw >>> (bits * first));
                }
            }
        }
    }

    private void begin(Warp warp, Address address, Expr stride) {
        for (int lane = 0; lane < LANES; lane++) {
            bases[lane] = Evaluate.bits(address.base(), warp, lane) + address.offset();
            strides[lane] = Integer.toUnsignedLong((int) Evaluate.bits(stride, warp, lane));
        }
    }

    /** How many elements of a register follow each other in memory. */
    private static int together(MatrixFragment fragment, boolean byColumns) {
        boolean along = byColumns == (fragment.use() == MatrixFragment.Use.B);
        return along ? fragment.element().perRegister() : 1;
    }

    /** Addresses of element {@code first} of a register. */
    private void place(MatrixFragment fragment, boolean byColumns, int register, int first) {
        int e = fragment.element().perRegister();
        for (int lane = 0; lane < LANES; lane++) {
            int place = fragment.place((LANES * register + lane) * e + first);
            long outer = byColumns ? fragment.column(place) : fragment.row(place);
            long inner = byColumns ? fragment.row(place) : fragment.column(place);
            addresses[lane] = bases[lane]
                    + (outer * strides[lane] + inner) * fragment.element().bits() / 8;
        }
    }

    /** Checks and counts an access of all lanes, by the space of the first where it is generic. */
    private void check(Warp warp, Site site, Space space, int bytes, boolean store) {
        Space counted = space;
        long window = 0;
        if (space == Space.GENERIC) {
            boolean shared = addresses[0] >= Memory.SHARED_WINDOW && addresses[0] < Memory.LOCAL_WINDOW;
            counted = shared ? Space.SHARED : addresses[0] >= DeviceMemory.LOWEST ? Space.GLOBAL : Space.LOCAL;
            window = shared ? Memory.SHARED_WINDOW : 0;
        }
        for (int lane = 0; lane < LANES; lane++) {
            switch (space) {
                case SHARED -> Memory.shared(warp, lane, site.index(), (int) addresses[lane], bytes);
                case GLOBAL -> Memory.global(warp, lane, site.index(), addresses[lane], bytes);
                default -> Memory.genericCheck(warp, lane, site.index(), addresses[lane], bytes);
            }
            offsets[lane] = addresses[lane] - window;
        }
        if (counted != Space.LOCAL) {
            counters.together(site.index(), counted, store, offsets, -1, bytes);
            BlockChecker checker = warp.checker();
            if (checker != null) {
                checker.together(warp.index, site.index(), counted, store, offsets, -1, bytes, false);
            }
        }
    }

    private long read(Warp warp, Site site, Space space, int lane, int bytes) {
        return switch (space) {
            case SHARED -> Memory.load(warp.shared, (int) addresses[lane], bytes) & mask(bytes);
            case GLOBAL -> Memory.load(warp.global, addresses[lane], bytes) & mask(bytes);
            default -> Memory.generic(warp, lane, site.index(), addresses[lane], bytes) & mask(bytes);
        };
    }

    private static long mask(int bytes) {
        return -1L >>> (64 - 8 * bytes);
    }

    private void write(Warp warp, Site site, Space space, int lane, int bytes, long value) {
        switch (space) {
            case SHARED -> Memory.store(warp.shared, (int) addresses[lane], bytes, value);
            case GLOBAL -> Memory.store(warp.global, addresses[lane], bytes, value);
            default -> Memory.generic(warp, lane, site.index(), addresses[lane], bytes, value);
        }
    }
}
