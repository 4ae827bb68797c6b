package dev.panamark.ptx.check;

import dev.panamark.ptx.DeviceMemory;
import dev.panamark.ptx.count.AccessPatterns;
import dev.panamark.ptx.count.Track;
import dev.panamark.ptx.ir.KernelCode;
import dev.panamark.ptx.ir.Segment;
import dev.panamark.ptx.ir.Site;
import dev.panamark.ptx.ir.Space;
import dev.panamark.ptx.ir.Sync;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What blocks of one launch share. */
public final class LaunchChecks {
    static final long SHARED_WINDOW = 0x1000_0000L;
    static final long SHARED_END = 0x2000_0000L;
    static final long LOWEST_GLOBAL = DeviceMemory.LOWEST;

    /** Places of shared memory are at most words. */
    private static final int WORD_SHIFT = 2;

    private final Checker checker;
    private final KernelCode code;
    private final List<SegmentLook> looks = new ArrayList<>();
    private final int[] tracks;
    private final int values;
    private final int shift;
    private final int firstWriter;

    /** @param noted by segment, what code notes of accesses */
    LaunchChecks(Checker checker, KernelCode code, List<List<Track>> noted) {
        this.checker = checker;
        this.code = code;
        int mostValues = 0;
        int least = WORD_SHIFT;
        List<List<Event>> events = new ArrayList<>();
        tracks = new int[code.segments().size()];
        for (Segment segment : code.segments()) {
            List<Track> all = noted.get(segment.index());
            tracks[segment.index()] = all.size();
            List<Event> of = SegmentEvents.of(segment, all);
            events.add(of);
            mostValues = Math.max(mostValues, SegmentEvents.values(segment));
            for (Event event : of) {
                if (event instanceof Event.Access access && access.space() != Space.GLOBAL) {
                    int each = access.bytes() / Math.max(1, access.values());
                    least = Math.min(least, Integer.numberOfTrailingZeros(each));
                }
            }
            if (segment.exit() instanceof Segment.Together exit) {
                least = Math.min(least, Integer.numberOfTrailingZeros(element(exit.sync())));
            }
        }
        values = mostValues;
        shift = least;
        events.forEach(of -> looks.add(SegmentLook.of(of, shift)));
        firstWriter = checker.writers(code);
    }

    /** Bytes of the smallest part of shared memory that lanes access together; fragments may go element by element. */
    private static int element(Sync sync) {
        return switch (sync) {
            case Sync.LoadFragment load -> Math.max(1, load.fragment().element().bits() / 8);
            case Sync.StoreFragment store ->
                Math.max(1, store.fragment().element().bits() / 8);
            case Sync.StoreMatrices ignored -> 2;
            default -> 1 << WORD_SHIFT;
        };
    }

    boolean is(Check check) {
        return checker.is(check);
    }

    SegmentLook look(int segment) {
        return looks.get(segment);
    }

    int segments() {
        return looks.size();
    }

    /** How many tracks a segment has. */
    int tracks(int segment) {
        return tracks[segment];
    }

    int values() {
        return values;
    }

    /** Two to the power of it are the bytes of the smallest access to shared memory. */
    int shift() {
        return shift;
    }

    @Nullable
    GlobalShadow memory() {
        return checker.memory();
    }

    /** Where the accesses of the last block are collected; null where they are not. */
    @Nullable
    AccessPatterns patterns() {
        return checker.patterns().orElse(null);
    }

    Findings findings() {
        return checker.found();
    }

    String kernel() {
        return code.name();
    }

    Site site(int index) {
        return code.sites().get(index);
    }

    /** The number of an instruction among those of all launches. */
    int writer(int site) {
        return firstWriter + site;
    }
}
