package dev.panamark.ptx.check;

import dev.panamark.ptx.Extent;
import dev.panamark.ptx.KernelFault;
import dev.panamark.ptx.count.AccessPatterns;
import dev.panamark.ptx.count.Track;
import dev.panamark.ptx.ir.Site;
import dev.panamark.ptx.ir.Space;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks at what one block does, after each segment: its accesses in the order of the text. Windows of generic addresses are
 * those of {@link dev.panamark.ptx.runtime.Memory}.
 */
public final class BlockChecker implements SharedShadow.Hazards, BarrierWatch.Faults {
    static final String UNWRITTEN = "uninitialised-read";
    private static final int LANES = 32;

    private final LaunchChecks launch;
    private final Extent threads;
    private final Clocks clocks;
    private final BarrierWatch barriers = new BarrierWatch();
    private final @Nullable SharedShadow shared;
    private final Map<Told, LongAdder> told = new HashMap<>();

    /** A fault at a pair of instructions; -1 for none. */
    private record Told(String kind, int site, int other) {}

    /** Where accesses are collected; null where they are not. */
    private @Nullable AccessPatterns patterns;

    private Extent block = new Extent(0, 0, 0);

    /** What tracks of the segment noted. */
    private int[] masks = new int[8];

    private final long[] addresses;
    private final long[] values;

    /** By segment and track; null for those that were not needed yet. */
    private final @Nullable Shape[][] shapes;

    private long turn;

    /**
     * @param sharedBytes of a block
     * @param addresses where code notes addresses, of track t and lane l at {@code 32 t + l}
     */
    public BlockChecker(LaunchChecks launch, Extent threads, int sharedBytes, long[] addresses) {
        this.launch = launch;
        this.threads = threads;
        this.addresses = addresses;
        int warps = (int) ((threads.count() + LANES - 1) / LANES);
        this.clocks = new Clocks(warps);
        this.shapes = new Shape[launch.segments()][0];
        this.values = new long[LANES * launch.values()];
        boolean used = sharedBytes > 0 && (launch.is(Check.RACE) || launch.is(Check.INITIALISED));
        this.shared = used ? new SharedShadow(sharedBytes, launch.shift(), warps, clocks, this) : null;
    }

    /**
     * Another block begins.
     *
     * @param last whether it is that of the highest number
     */
    public void start(Extent at, boolean last) {
        patterns = last ? launch.patterns() : null;
        block = at;
        clocks.start();
        barriers.start();
        if (shared != null) {
            shared.settle();
        }
    }

    /** Where code notes what it stores, of a segment's value v and lane l at {@code 32 v + l}. */
    public long[] values() {
        return values;
    }

    /** A track noted these lanes. */
    public void note(int track, int mask) {
        if (track >= masks.length) {
            masks = Arrays.copyOf(masks, 2 * track);
        }
        masks[track] = mask;
    }

    /** The same of a track whose addresses are in a register of 32 bits. */
    public void note(int track, int mask, int[] words, int from) {
        note(track, mask);
        int to = LANES * track;
        for (int lane = 0; lane < LANES; lane++) {
            addresses[to + lane] = words[from + lane];
        }
    }

    /** The same of 64 bits. */
    public void note(int track, int mask, long[] longs, int from) {
        note(track, mask);
        System.arraycopy(longs, from, addresses, LANES * track, LANES);
    }

    /** A segment was run by a warp, and all its tracks noted their lanes. */
    public void segment(int warp, int segment) {
        turn++;
        SegmentLook look = launch.look(segment);
        for (Loads loads : look.loads()) {
            boolean together = patterns == null && masks[loads.track()] == -1 && areFine(warp, segment, loads);
            for (int i = 0; i < loads.all().size() && !together; i++) {
                int lanes = masks[loads.track()];
                if (lanes != 0) {
                    access(warp, segment, loads.all().get(i), lanes);
                }
            }
        }
        for (Event event : look.events()) {
            switch (event) {
                case Event.Order order -> {
                    if (order.track() < 0 || masks[order.track()] != 0) {
                        clocks.fence(warp);
                    }
                }
                case Event.Access access -> {
                    int lanes = masks[access.track()];
                    if (lanes != 0) {
                        access(warp, segment, access, lanes);
                    }
                }
            }
        }
    }

    /** Whether loads of all lanes do nothing wrong; then they are noted. */
    private boolean areFine(int warp, int segment, Loads loads) {
        SharedShadow places = shared;
        if (places == null) {
            return true;
        }
        int from = LANES * loads.track();
        int address = (int) addresses[from];
        if ((address & ((1 << launch.shift()) - 1)) != 0) {
            return false;
        }
        Shape shape = shape(segment, loads.track());
        shape.fit(addresses, from, loads.bytes(), launch.shift(), turn);
        return places.readTogether(warp, loads, address, shape);
    }

    private void access(int warp, int segment, Event.Access access, int mask) {
        int from = LANES * access.track();
        switch (access.space()) {
            case SHARED -> shared(warp, segment, access, mask, from, 0);
            case GLOBAL -> global(warp, access, mask, from);
            default -> {
                int toShared = 0;
                int toGlobal = 0;
                for (int rest = mask; rest != 0; rest &= rest - 1) {
                    int lane = Integer.numberOfTrailingZeros(rest);
                    long address = addresses[from + lane] + access.offset();
                    int bit = 1 << lane;
                    toShared |= address >= LaunchChecks.SHARED_WINDOW && address < LaunchChecks.SHARED_END ? bit : 0;
                    toGlobal |= address >= LaunchChecks.LOWEST_GLOBAL ? bit : 0;
                }
                if (toShared != 0) {
                    shared(warp, segment, access, toShared, from, LaunchChecks.SHARED_WINDOW);
                }
                if (toGlobal != 0) {
                    global(warp, access, toGlobal, from);
                }
            }
        }
    }

    private void shared(int warp, int segment, Event.Access access, int mask, int from, long window) {
        int bytes = access.bytes();
        if (patterns != null) {
            boolean load = !Event.writes(access);
            patterns.add(
                    launch.kernel(),
                    access.site(),
                    bytes,
                    load,
                    false,
                    mask,
                    addresses,
                    from,
                    access.offset() - window);
        }
        SharedShadow places = shared;
        if (places == null) {
            return;
        }
        int site = access.site().index();
        int offset = (int) (access.offset() - window);
        boolean strong = access.strong();
        Loads alone = access.alone();
        if (mask == -1 && alone != null && areFine(warp, segment, alone)) {
            return;
        }
        if (mask == -1 && access.kind() == Track.Kind.STORE && !strong && !access.copy() && access.slot() >= 0) {
            Shape shape = shape(segment, access.track());
            shape.fit(addresses, from, bytes, launch.shift(), turn);
            if (places.writeTogether(
                    warp, site, addresses, from, offset, bytes, shape, values, access.slot(), access.values())) {
                return;
            }
        }
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            int lane = Integer.numberOfTrailingZeros(rest);
            int address = (int) addresses[from + lane] + offset;
            if (access.copy()) {
                places.copyBegins(warp, lane, site, address, bytes);
                continue;
            }
            if (Event.reads(access)) {
                places.read(warp, 1 << lane, site, address, bytes, strong);
            }
            if (Event.writes(access)) {
                write(places, warp, lane, access, address);
            }
        }
        ordering(warp, access, mask, from, window);
    }

    private void write(SharedShadow places, int warp, int lane, Event.Access access, int address) {
        int site = access.site().index();
        if (access.strong()) {
            places.writeStrongly(warp, lane, site, address, access.bytes());
            return;
        }
        int each = access.bytes() / access.values();
        for (int i = 0; i < access.values(); i++) {
            long value = values[LANES * (access.slot() + i) + lane];
            places.write(warp, lane, site, address + i * each, each, value, true);
        }
    }

    private Shape shape(int segment, int track) {
        @Nullable Shape[] of = shapes[segment];
        if (track >= of.length) {
            of = Arrays.copyOf(of, launch.tracks(segment));
            shapes[segment] = of;
        }
        Shape shape = of[track];
        if (shape == null) {
            shape = new Shape();
            of[track] = shape;
        }
        return shape;
    }

    /** What strong accesses hand on and take over. */
    private void ordering(int warp, Event.Access access, int mask, int from, long window) {
        if (!access.strong()) {
            return;
        }
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            int lane = Integer.numberOfTrailingZeros(rest);
            long address = addresses[from + lane] + access.offset() - window;
            if (Event.reads(access)) {
                clocks.read(warp, address, access.acquires());
            }
            if (Event.writes(access)) {
                clocks.write(warp, address, access.releases());
            }
        }
    }

    private void global(int warp, Event.Access access, int mask, int from) {
        if (!launch.is(Check.INITIALISED)) {
            ordering(warp, access, mask, from, 0);
            return;
        }
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            int lane = Integer.numberOfTrailingZeros(rest);
            long address = addresses[from + lane] + access.offset();
            if (Event.reads(access)) {
                globalRead(warp, lane, access.site().index(), address, access.bytes());
            }
            if (Event.writes(access)) {
                globalWrite(access.site().index(), address, access.bytes());
            }
        }
        ordering(warp, access, mask, from, 0);
    }

    private void globalWrite(int site, long address, int bytes) {
        GlobalShadow memory = launch.memory();
        if (memory != null) {
            memory.write(address, bytes, launch.writer(site));
        }
    }

    private void globalRead(int warp, int lane, int site, long address, int bytes) {
        GlobalShadow memory = launch.memory();
        int missing = memory == null ? -1 : memory.firstUnwritten(address, bytes);
        if (memory != null && missing >= 0) {
            unwritten("global", warp, lane, site, address + missing, memory.around(address + missing));
        }
    }

    /** Lanes access memory together; a matrix of {@code ldmatrix} is read by all of them. */
    public void together(
            int warp, int site, Space space, boolean store, long[] at, int mask, int bytes, boolean byAll) {
        if (patterns != null && space == Space.SHARED) {
            patterns.add(launch.kernel(), launch.site(site), bytes, !store, true, mask, at, 0, 0);
        }
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            int lane = Integer.numberOfTrailingZeros(rest);
            if (space == Space.GLOBAL) {
                if (store) {
                    globalWrite(site, at[lane], bytes);
                } else {
                    globalRead(warp, lane, site, at[lane], bytes);
                }
            } else if (shared != null && space == Space.SHARED) {
                int who = byAll ? -1 : 1 << lane;
                if (store) {
                    shared.write(warp, lane, site, (int) at[lane], bytes, 0, false);
                } else {
                    shared.read(warp, who, site, (int) at[lane], bytes, false);
                }
            }
        }
    }

    /** An asynchronous copy begins to read; what it writes is noted with its segment. */
    public void copyReads(int warp, int lane, int site, long source, int size) {
        if (size > 0) {
            globalRead(warp, lane, site, source, size);
        }
    }

    /** An asynchronous copy of a lane is waited for. */
    public void copyEnds(int warp, int lane, int target, int bytes) {
        if (shared != null) {
            shared.copyEnds(warp, lane, target, bytes);
        }
    }

    /** The kernel was given memory. */
    public void allocated(long address, long bytes) {
        GlobalShadow memory = launch.memory();
        if (memory != null) {
            memory.mark(address, bytes, true);
        }
    }

    /** An mbarrier is made, which others must not use before. */
    public void mbarrierInit(int warp, int lane, int site, int address, int bytes) {
        if (shared != null) {
            shared.write(warp, lane, site, address, bytes, 0, false);
        }
        clocks.forget(address);
    }

    /** A lane arrives at an mbarrier, or asks whether a phase is over. */
    public void mbarrierUsed(int warp, int lane, int site, int address, int bytes) {
        if (shared != null) {
            shared.use(warp, lane, site, address, bytes);
        }
    }

    /** A lane arrives at an mbarrier; {@code completes} if that ends its phase. */
    public void mbarrierArrives(int warp, int address, boolean completes) {
        clocks.arriveAt(warp, address, completes);
    }

    /** A lane saw that a phase of an mbarrier is over. */
    public void mbarrierPassed(int warp, int address) {
        clocks.passFrom(warp, address);
    }

    /** Lanes of a warp meet. */
    public void meet(int warp, int mask, int live) {
        clocks.meet(warp, mask, live);
    }

    /**
     * Lanes come to a barrier of the block.
     *
     * @param aligned whether PTX wants all of the warp to come together
     * @param alone whether lanes of the warp were let go on alone in this block
     */
    public void arrive(int barrier, int warp, int mask, Site site, boolean aligned, boolean alone) {
        clocks.arrive(barrier, warp);
        barriers.arrive(barrier, new BarrierWatch.Arrival(warp, mask, site, aligned, alone));
    }

    /**
     * A barrier is complete.
     *
     * @param ofAll whether all threads of the block were waited for that have not ended
     */
    public void complete(int barrier, boolean ofAll) {
        if (ofAll) {
            clocks.complete(barrier);
            if (shared != null) {
                shared.settle();
            }
        }
        barriers.complete(barrier, ofAll, this);
    }

    /** A warp goes on from a barrier that is complete. */
    public void pass(int barrier, int warp) {
        clocks.pass(barrier, warp);
    }

    /** All that waited at a barrier go on; its next use begins. */
    public void reset(int barrier) {
        clocks.reset(barrier);
    }

    @Override
    public void apart(BarrierWatch.Arrival first, BarrierWatch.Arrival second) {
        barrier(
                "divergent-barrier",
                "lanes 0x" + Integer.toHexString(first.lanes()) + " of warp " + first.warp()
                        + " come to a barrier apart from lanes 0x" + Integer.toHexString(second.lanes())
                        + "; expected all of the warp together",
                first,
                second);
    }

    @Override
    public void atOthers(BarrierWatch.Arrival first, BarrierWatch.Arrival second) {
        barrier(
                "different-barriers",
                "warp " + first.warp() + " comes to a barrier here and warp " + second.warp()
                        + " at another line; expected all threads at the same one",
                first,
                second);
    }

    private void barrier(String kind, String text, BarrierWatch.Arrival first, BarrierWatch.Arrival second) {
        if (launch.is(Check.SYNC)) {
            tell(
                    kind,
                    first.site().index(),
                    second.site().index(),
                    () -> new Finding(Check.SYNC, kind, text, place(first), place(second), 1));
        }
    }

    private KernelFault.Place place(BarrierWatch.Arrival arrival) {
        return place(arrival.site(), arrival.warp(), Integer.numberOfTrailingZeros(arrival.lanes()), null);
    }

    @Override
    public void unwritten(int warp, int lane, int site, long address) {
        if (launch.is(Check.INITIALISED)) {
            unwritten("shared", warp, lane, site, address, " in this block");
        }
    }

    private void unwritten(String space, int warp, int lane, int site, long address, String where) {
        Site read = launch.site(site);
        tell(
                UNWRITTEN,
                site,
                -1,
                () -> new Finding(
                        Check.INITIALISED,
                        UNWRITTEN,
                        "reads " + space + " address 0x" + Long.toHexString(address) + ", which nothing has written"
                                + where,
                        place(read, warp, lane, address),
                        null,
                        1));
    }

    @Override
    public void race(
            SharedShadow.Hazard hazard,
            int warp,
            int lane,
            int site,
            int otherWarp,
            int otherLane,
            int otherSite,
            long address) {
        if (!launch.is(Check.RACE)) {
            return;
        }
        String kind = switch (hazard) {
            case READ_AFTER_WRITE -> "read-after-write";
            case WRITE_AFTER_READ -> "write-after-read";
            case WRITE_AFTER_WRITE -> "write-after-write";
            case COPY_NOT_AWAITED -> "copy-not-awaited";
        };
        tell(
                kind,
                site,
                otherSite,
                () -> new Finding(
                        Check.RACE,
                        kind,
                        words(hazard) + " shared address 0x" + Long.toHexString(address)
                                + (hazard == SharedShadow.Hazard.COPY_NOT_AWAITED
                                        ? ", to which its own copy was begun and not waited for (cp.async.wait_group)"
                                        : ", and nothing orders the two"
                                                + (warp == otherWarp
                                                        ? "; they are lanes of one warp, which __syncwarp() orders"
                                                        : "; __syncthreads() between them would")),
                        place(launch.site(site), warp, lane, address),
                        place(launch.site(otherSite), otherWarp, otherLane, address),
                        1));
    }

    private static String words(SharedShadow.Hazard hazard) {
        return switch (hazard) {
            case READ_AFTER_WRITE -> "reads what another thread wrote at";
            case WRITE_AFTER_READ -> "writes over what another thread read at";
            case WRITE_AFTER_WRITE -> "writes something else than another thread wrote at";
            case COPY_NOT_AWAITED -> "accesses";
        };
    }

    private void tell(String kind, int site, int other, Supplier<Finding> finding) {
        told.computeIfAbsent(
                        new Told(kind, site, other),
                        told -> launch.findings()
                                .of(new Findings.Key(launch.kernel(), kind, line(site), line(other)), finding))
                .increment();
    }

    private String line(int site) {
        if (site < 0) {
            return "";
        }
        Site where = launch.site(site);
        return where.source() == null ? where.where() : where.source().toString();
    }

    private KernelFault.Place place(Site site, int warp, int lane, @Nullable Long address) {
        int linear = LANES * warp + lane;
        return new KernelFault.Place(
                launch.kernel(),
                site.at().line(),
                site.source() == null ? null : site.source().toString(),
                block,
                new Extent(
                        linear % threads.x(), linear / threads.x() % threads.y(), linear / threads.x() / threads.y()),
                address);
    }
}
