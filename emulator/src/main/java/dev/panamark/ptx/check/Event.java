package dev.panamark.ptx.check;

import dev.panamark.ptx.count.Track;
import dev.panamark.ptx.ir.Site;
import dev.panamark.ptx.ir.Space;
import org.jspecify.annotations.Nullable;

/** What matters of a segment, in the order of its instructions. */
sealed interface Event {
    /**
     * An access of lanes.
     *
     * @param track that noted its lanes and addresses
     * @param offset from these
     * @param bytes of a lane
     * @param copy whether an asynchronous copy begins, which writes until it is waited for
     * @param strong whether it is volatile, relaxed, acquire or release: two such accesses do not race
     * @param slot where values that are stored are noted, one for each {@code bytes / values}; -1 where they are not
     * @param values of a store
     * @param alone a load that is looked at on its own; null for others
     */
    record Access(
            Site site,
            int track,
            long offset,
            Space space,
            Track.Kind kind,
            int bytes,
            boolean copy,
            boolean strong,
            boolean acquires,
            boolean releases,
            int slot,
            int values,
            @Nullable Loads alone)
            implements Event {

        /** The same with how it is looked at on its own. */
        Access alone(Loads how) {
            return new Access(
                    site, track, offset, space, kind, bytes, copy, strong, acquires, releases, slot, values, how);
        }
    }

    /**
     * A fence.
     *
     * @param track that noted its lanes; -1 for all
     */
    record Order(int track) implements Event {}

    /** Whether an access reads; an atomic one does both. */
    static boolean reads(Access access) {
        return access.kind() != Track.Kind.STORE;
    }

    /** Whether it writes. */
    static boolean writes(Access access) {
        return access.kind() != Track.Kind.LOAD;
    }
}
