package dev.panamark.ptx.check;

import dev.panamark.ptx.count.Track;
import dev.panamark.ptx.ir.InstructionClass;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Segment;
import dev.panamark.ptx.ir.Site;
import dev.panamark.ptx.ir.Space;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Finds what matters of segments. */
public final class SegmentEvents {
    private SegmentEvents() {}

    /** How many values that an op stores are noted: others may store the same ones in the same place. */
    public static int values(Op op) {
        return op instanceof Op.Store store && (store.space() == Space.SHARED || store.space() == Space.GENERIC)
                ? store.values().size()
                : 0;
    }

    /** How many values of a segment are noted. */
    public static int values(Segment segment) {
        return segment.ops().stream().mapToInt(SegmentEvents::values).sum();
    }

    /** Whether anything of a segment is to be looked at once it has run. */
    public static boolean any(Segment segment) {
        return segment.ops().stream().anyMatch(op -> Track.address(op) != null || isFence(op));
    }

    private static boolean isFence(Op op) {
        return op instanceof Op.Fence && op.site().kind() == InstructionClass.FENCE;
    }

    /**
     * Those of a segment.
     *
     * @param tracks of it, as the code that runs notes them
     */
    static List<Event> of(Segment segment, List<Track> tracks) {
        Map<Integer, Integer> trackOf = new HashMap<>();
        Map<Integer, Long> offsetOf = new HashMap<>();
        for (int i = 0; i < tracks.size(); i++) {
            Track track = tracks.get(i);
            boolean fetches = track.leader() instanceof Op.Fetch;
            for (Track.Member member : track.members()) {
                if (!fetches) {
                    trackOf.putIfAbsent(member.site().index(), i);
                    offsetOf.putIfAbsent(member.site().index(), member.offset());
                }
            }
        }
        List<Event> events = new ArrayList<>();
        int slot = 0;
        int last = -1;
        for (Op op : segment.ops()) {
            int site = op.site().index();
            if (isFence(op)) {
                events.add(new Event.Order(op.guard() == null ? -1 : trackOf.getOrDefault(site, -1)));
            }
            // The atomic operations of a vector are one access; what a copy fetches is looked at when it begins.
            boolean again = op instanceof Op.Atomic && site == last;
            if (Track.address(op) == null || op instanceof Op.Fetch || again) {
                continue;
            }
            last = site;
            int track = trackOf.getOrDefault(site, -1);
            int values = op instanceof Op.Store store ? store.values().size() : 0;
            events.add(access(op.site(), op, tracks.get(track), track, offsetOf.getOrDefault(site, 0L), slot, values));
            slot += values(op);
        }
        return List.copyOf(events);
    }

    private static Event access(Site site, Op op, Track track, int number, long offset, int slot, int values) {
        List<String> modifiers = List.of(site.name().split("\\."));
        boolean atomic = op instanceof Op.Atomic;
        boolean both = modifiers.contains("acq_rel");
        boolean acquires = modifiers.contains("acquire") || (atomic && both);
        boolean releases = modifiers.contains("release") || (atomic && both);
        boolean strong = atomic
                || acquires
                || releases
                || modifiers.contains("volatile")
                || modifiers.contains("relaxed")
                || modifiers.contains("mmio");
        return new Event.Access(
                site,
                number,
                offset,
                Objects.requireNonNull(track.space()),
                track.kind(),
                track.bytes(),
                op instanceof Op.Copy,
                strong,
                acquires,
                releases,
                values(op) > 0 ? slot : -1,
                values,
                null);
    }
}
