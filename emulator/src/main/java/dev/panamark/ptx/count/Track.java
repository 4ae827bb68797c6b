package dev.panamark.ptx.count;

import dev.panamark.ptx.ir.Address;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Segment;
import dev.panamark.ptx.ir.Site;
import dev.panamark.ptx.ir.Space;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is noted of the lanes of a segment while it runs: which of them execute a guarded instruction, and the address
 * of an access. Accesses that differ in a constant only share one.
 *
 * @param at number of the op in its segment at which it is noted
 * @param leader that op
 * @param space null where only the lanes are
 * @param bytes of one lane
 * @param members instructions, with the offset of each from what is noted
 */
public record Track(int at, Op leader, @Nullable Space space, int bytes, boolean load, List<Member> members) {
    /** One instruction of a track. */
    public record Member(Site site, long offset) {}

    private record Key(Register base, Space space, int bytes, boolean load) {}

    /** The address of an op; null where it has none that is counted. */
    public static @Nullable Address address(Op op) {
        return switch (op) {
            case Op.Load load when counted(load.space()) -> load.address();
            case Op.Store store when counted(store.space()) -> store.address();
            default -> null;
        };
    }

    private static boolean counted(Space space) {
        return space == Space.SHARED || space == Space.GLOBAL || space == Space.GENERIC;
    }

    /**
     * The tracks of a segment.
     *
     * @param grouped whether accesses share tracks; without, every access has its own with offset 0
     */
    public static List<Track> of(Segment segment, boolean grouped) {
        List<Track> tracks = new ArrayList<>();
        Map<Key, List<Member>> open = new HashMap<>();
        // An access notes its lanes with its address, once.
        Set<Integer> guarded = new HashSet<>();
        for (Op op : segment.ops()) {
            if (address(op) != null) {
                guarded.add(op.site().index());
            }
        }
        for (int i = 0; i < segment.ops().size(); i++) {
            Op op = segment.ops().get(i);
            Address address = address(op);
            if (address != null) {
                boolean load = op instanceof Op.Load;
                Space space = op instanceof Op.Load l ? l.space() : ((Op.Store) op).space();
                int bytes = op instanceof Op.Load l
                        ? l.type().bytes() * l.targets().size()
                        : ((Op.Store) op).type().bytes()
                                * ((Op.Store) op).values().size();
                Key key = grouped
                                && op.guard() == null
                                && address.base() instanceof Expr.Read read
                                && address.offset() % 4 == 0
                        ? new Key(read.register(), space, bytes, load)
                        : null;
                List<Member> members = key == null ? null : open.get(key);
                if (members == null) {
                    members = new ArrayList<>();
                    tracks.add(new Track(i, op, space, bytes, load, members));
                    if (key != null) {
                        open.put(key, members);
                    }
                }
                members.add(new Member(op.site(), grouped ? address.offset() : 0));
            } else if (op.guard() != null && guarded.add(op.site().index())) {
                tracks.add(new Track(i, op, null, 0, false, List.of(new Member(op.site(), 0))));
            }
            closeWritten(op, open);
        }
        return List.copyOf(tracks);
    }

    private static void closeWritten(Op op, Map<Key, List<Member>> open) {
        switch (op) {
            case Op.Assign assign -> open.keySet().removeIf(key -> key.base() == assign.target());
            case Op.Load load -> open.keySet().removeIf(key -> load.targets().contains(key.base()));
            case Op.Atomic atomic -> open.keySet().removeIf(key -> key.base() == atomic.target());
            default -> {}
        }
    }
}
