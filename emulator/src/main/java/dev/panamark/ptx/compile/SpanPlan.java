package dev.panamark.ptx.compile;

import dev.panamark.ptx.analyze.Liveness;
import dev.panamark.ptx.ir.Address;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Space;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Finds accesses to global memory through the same value of a register, of the same size and a short way apart. */
final class SpanPlan {
    /** Bytes between the first and the last of a span, at most. */
    private static final int WIDEST = 4096;

    /** One access. */
    record Access(int site, long offset, int bytes) {}

    private record Key(Register base, int bytes) {}

    private final Map<Key, List<Access>> open = new LinkedHashMap<>();
    private final List<List<Access>> all = new ArrayList<>();

    /**
     * The next access.
     *
     * @param repeatable whether its lane may begin again here; a span begins nowhere else
     */
    void access(Op op, boolean repeatable) {
        switch (op) {
            case Op.Load load ->
                add(
                        load,
                        load.space(),
                        load.address(),
                        load.type().bytes() * load.targets().size(),
                        repeatable);
            case Op.Store store ->
                add(
                        store,
                        store.space(),
                        store.address(),
                        store.type().bytes() * store.values().size(),
                        repeatable);
            default -> {}
        }
    }

    /** Registers that an op writes have another value from there on. */
    void writes(Op op) {
        Liveness.writes(op, register -> open.keySet().removeIf(key -> key.base() == register));
    }

    private void add(Op op, Space space, Address address, int bytes, boolean repeatable) {
        if ((space != Space.GLOBAL && space != Space.CONST)
                || op.guard() != null
                || !(address.base() instanceof Expr.Read base)) {
            return;
        }
        Access access = new Access(op.site().index(), address.offset(), bytes);
        Key key = new Key(base.register(), bytes);
        List<Access> before = open.get(key);
        if (before != null && near(before, access)) {
            before.add(access);
        } else if (repeatable) {
            List<Access> begun = new ArrayList<>(List.of(access));
            open.put(key, begun);
            all.add(begun);
        }
    }

    private static boolean near(List<Access> accesses, Access other) {
        return accesses.stream()
                .allMatch(a -> a.site() != other.site()
                        && near(a.offset(), other.offset())
                        && (a.offset() - other.offset()) % a.bytes() == 0);
    }

    /** Offsets may be any numbers, so their difference may be none. */
    private static boolean near(long a, long b) {
        long least = Math.min(a, b);
        return least <= Long.MAX_VALUE - 2 * WIDEST && Math.max(a, b) < least + WIDEST;
    }

    /** Those of two accesses and more. */
    List<List<Access>> groups() {
        return all.stream().filter(group -> group.size() > 1).toList();
    }
}
