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
public record Track(int at, Op leader, @Nullable Space space, int bytes, Kind kind, List<Member> members) {
    /** What an access does; an atomic operation reads and writes. */
    public enum Kind {
        LOAD,
        STORE,
        ATOMIC
    }

    /** One instruction of a track. */
    public record Member(Site site, long offset) {}

    private record Key(Register base, Space space, int bytes, Kind kind) {}

    /** What is counted of an access. */
    private record Access(Address address, Space space, int bytes, Kind kind) {}

    /** The address of an op; null where it has none that is counted. */
    public static @Nullable Address address(Op op) {
        return switch (op) {
            case Op.Load load when counted(load.space()) -> load.address();
            case Op.Store store when counted(store.space()) -> store.address();
            case Op.Atomic atomic when counted(atomic.space()) -> atomic.address();
            case Op.Copy copy -> copy.target();
            case Op.Fetch fetch -> fetch.address();
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
        Set<Integer> noted = new HashSet<>();
        Map<Integer, Integer> parts = new HashMap<>();
        for (Op op : segment.ops()) {
            if (address(op) != null) {
                noted.add(op.site().index());
                parts.merge(op.site().index(), 1, Integer::sum);
            }
        }
        Set<Integer> begun = new HashSet<>();
        for (int i = 0; i < segment.ops().size(); i++) {
            Op op = segment.ops().get(i);
            Access access = access(op, parts.getOrDefault(op.site().index(), 0));
            if (access != null) {
                // The atomic operations of a vector are one access from the first on.
                if (access.kind() != Kind.ATOMIC || begun.add(op.site().index())) {
                    add(tracks, open, i, op, access, grouped);
                }
            } else if (op.guard() != null && noted.add(op.site().index())) {
                tracks.add(new Track(i, op, null, 0, Kind.LOAD, List.of(new Member(op.site(), 0))));
            }
            closeWritten(op, open);
        }
        return List.copyOf(tracks);
    }

    private static void add(
            List<Track> tracks, Map<Key, List<Member>> open, int at, Op op, Access access, boolean grouped) {
        Address address = access.address();
        Key key = grouped && op.guard() == null && address.base() instanceof Expr.Read read && address.offset() % 4 == 0
                ? new Key(read.register(), access.space(), access.bytes(), access.kind())
                : null;
        List<Member> members = key == null ? null : open.get(key);
        if (members == null) {
            members = new ArrayList<>();
            tracks.add(new Track(at, op, access.space(), access.bytes(), access.kind(), members));
            if (key != null) {
                open.put(key, members);
            }
        }
        members.add(new Member(op.site(), grouped ? address.offset() : 0));
    }

    /** @param parts ops of the instruction that access memory */
    private static @Nullable Access access(Op op, int parts) {
        Address address = address(op);
        if (address == null) {
            return null;
        }
        return switch (op) {
            case Op.Load load ->
                new Access(
                        address,
                        load.space(),
                        load.type().bytes() * load.targets().size(),
                        Kind.LOAD);
            case Op.Store store ->
                new Access(
                        address,
                        store.space(),
                        store.type().bytes() * store.values().size(),
                        Kind.STORE);
            case Op.Atomic atomic ->
                new Access(address, atomic.space(), atomic.type().bytes() * parts, Kind.ATOMIC);
            case Op.Copy copy -> new Access(address, Space.SHARED, copy.bytes(), Kind.STORE);
            case Op.Fetch fetch -> new Access(address, Space.GLOBAL, fetch.bytes(), Kind.LOAD);
            default -> null;
        };
    }

    private static void closeWritten(Op op, Map<Key, List<Member>> open) {
        switch (op) {
            case Op.Assign assign -> open.keySet().removeIf(key -> key.base() == assign.target());
            case Op.Load load -> open.keySet().removeIf(key -> load.targets().contains(key.base()));
            case Op.Atomic atomic -> open.keySet().removeIf(key -> key.base() == atomic.target());
            case Op.Act act -> open.keySet().removeIf(key -> key.base() == act.target());
            default -> {}
        }
    }
}
