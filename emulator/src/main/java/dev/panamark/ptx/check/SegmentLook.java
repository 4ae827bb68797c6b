package dev.panamark.ptx.check;

import dev.panamark.ptx.count.Track;
import dev.panamark.ptx.ir.Space;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How a segment is looked at.
 *
 * @param loads from shared memory that can be looked at track by track, where nothing in the segment writes there
 * @param events all others, in order
 */
record SegmentLook(List<Loads> loads, List<Event> events) {
    /** @param shift two to the power of it are the bytes of a place of shared memory */
    static SegmentLook of(List<Event> all, int shift) {
        List<Event> events = new ArrayList<>();
        boolean only = all.stream().allMatch(SegmentLook::leavesSharedMemory);
        Map<Integer, List<Event.Access>> byTrack = new LinkedHashMap<>();
        for (Event event : all) {
            if (event instanceof Event.Access access && isPlainLoad(access)) {
                Event.Access alone = access.alone(new Loads(List.of(access), shift));
                if (only) {
                    byTrack.computeIfAbsent(access.track(), k -> new ArrayList<>())
                            .add(alone);
                } else {
                    events.add(alone);
                }
            } else {
                events.add(event);
            }
        }
        return new SegmentLook(
                byTrack.values().stream().map(loads -> new Loads(loads, shift)).toList(), List.copyOf(events));
    }

    private static boolean leavesSharedMemory(Event event) {
        return event instanceof Event.Access access && (access.space() == Space.GLOBAL || isPlainLoad(access));
    }

    private static boolean isPlainLoad(Event.Access access) {
        return access.space() == Space.SHARED && access.kind() == Track.Kind.LOAD && !access.strong();
    }
}
