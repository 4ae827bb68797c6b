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
public final class BlockChecker implements SharedShadow.Hazards {
    static final String UNWRITTEN = "uninitialised-read";
    static final String UNWRITTEN_SHARED = "uninitialised-read of shared memory";
    private static final int LANES = 32;

    private final LaunchChecks launch;
    private final Extent threads;
    private final Clocks clocks;
    private final @Nullable SharedShadow shared;
    private final Map<Findings.Key, LongAdder> told = new HashMap<>();
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

    /** A segment was run by lanes of a warp. */
    public void segment(int warp, int segment, int mask) {
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
                    int lanes = access.track() < 0 ? mask : masks[access.track()];
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
                places.read(warp, lane, site, address, bytes, strong);
            }
            if (Event.writes(access)) {
                write(places, warp, lane, access, address);
            }
        }
        ordering(warp, access, mask, from);
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
    private void ordering(int warp, Event.Access access, int mask, int from) {
        if (!access.strong()) {
            return;
        }
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            long address = addresses[from + Integer.numberOfTrailingZeros(rest)] + access.offset();
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
            ordering(warp, access, mask, from);
            return;
        }
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            int lane = Integer.numberOfTrailingZeros(rest);
            long address = addresses[from + lane] + access.offset();
            if (Event.reads(access)) {
                globalRead(warp, lane, access.site().index(), address, access.bytes());
            }
            if (Event.writes(access)) {
                launch.memory()
                        .write(
                                address,
                                access.bytes(),
                                launch.writer(access.site().index()));
            }
        }
        ordering(warp, access, mask, from);
    }

    private void globalRead(int warp, int lane, int site, long address, int bytes) {
        if (launch.is(Check.INITIALISED)) {
            int missing = launch.memory().firstUnwritten(address, bytes);
            if (missing >= 0) {
                unwritten("global", warp, lane, site, address + missing);
            }
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
                    launch.memory().write(at[lane], bytes, launch.writer(site));
                } else {
                    globalRead(warp, lane, site, at[lane], bytes);
                }
            } else if (shared != null && space == Space.SHARED) {
                int who = byAll ? Clocks.SEVERAL : lane;
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
        launch.memory().mark(address, bytes, true);
    }

    /** The runtime keeps something of its own in shared memory. */
    public void initialised(int address, int bytes) {
        if (shared != null) {
            shared.initialised(address, bytes);
        }
    }

    /** A lane does what others wait for at an mbarrier, or saw that its phase is over. */
    public void mbarrier(int warp, int address, boolean arrives) {
        if (arrives) {
            clocks.write(warp, address, true);
        } else {
            clocks.read(warp, address, true);
        }
    }

    /** Lanes of a warp meet. */
    public void meet(int warp, int mask, int live) {
        clocks.meet(warp, mask, live);
    }

    /** Lanes come to a barrier of the block; {@code aligned} if PTX wants all of the warp to come together. */
    public void arrive(int barrier, int warp, int mask, int live, Site site, boolean aligned) {
        clocks.arrive(barrier, warp);
        if (mask != live && aligned && launch.is(Check.SYNC)) {
            int lane = Integer.numberOfTrailingZeros(mask);
            tell(
                    "divergent-barrier",
                    site.index(),
                    -1,
                    () -> new Finding(
                            Check.SYNC,
                            "divergent-barrier",
                            "lanes 0x" + Integer.toHexString(mask) + " of warp " + warp
                                    + " come to a barrier without lanes 0x" + Integer.toHexString(live & ~mask)
                                    + "; expected all of the warp together",
                            place(site, warp, lane, null),
                            null,
                            1));
        }
    }

    /** Warps of a block wait at different instructions for the same barrier. */
    public void mixed(int barrier, Site one, int warp, Site other, int otherWarp) {
        if (launch.is(Check.SYNC) && !one.where().equals(other.where())) {
            tell(
                    "different-barriers",
                    one.index(),
                    other.index(),
                    () -> new Finding(
                            Check.SYNC,
                            "different-barriers",
                            "warp " + warp + " waits here at barrier " + barrier + " and warp " + otherWarp
                                    + " at another one; expected all threads at the same barrier",
                            place(one, warp, 0, null),
                            place(other, otherWarp, 0, null),
                            1));
        }
    }

    /** A barrier of all threads is complete: of those that have ended, too. */
    public void complete(int barrier) {
        clocks.complete(barrier);
        if (shared != null) {
            shared.settle();
        }
    }

    public void pass(int barrier, int warp) {
        clocks.pass(barrier, warp);
    }

    public void reset(int barrier) {
        clocks.reset(barrier);
    }

    @Override
    public void unwritten(int warp, int lane, int site, long address) {
        if (launch.is(Check.INITIALISED)) {
            unwritten("shared", warp, lane == Clocks.SEVERAL ? 0 : lane, site, address);
        }
    }

    private void unwritten(String space, int warp, int lane, int site, long address) {
        Site where = launch.site(site);
        String kind = space.equals("shared") ? UNWRITTEN_SHARED : UNWRITTEN;
        tell(
                kind,
                site,
                -1,
                () -> new Finding(
                        Check.INITIALISED,
                        kind,
                        "reads " + space + " address 0x" + Long.toHexString(address) + ", which nothing has written"
                                + (space.equals("shared")
                                        ? " in this block"
                                        : launch.memory().around(address)),
                        place(where, warp, lane, address),
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
                        place(launch.site(site), warp, lane == Clocks.SEVERAL ? 0 : lane, address),
                        place(launch.site(otherSite), otherWarp, otherLane == Clocks.SEVERAL ? 0 : otherLane, address),
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
        Findings.Key key = new Findings.Key(launch.kernel(), kind, site, other);
        told.computeIfAbsent(key, k -> launch.findings().of(k, finding)).increment();
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
