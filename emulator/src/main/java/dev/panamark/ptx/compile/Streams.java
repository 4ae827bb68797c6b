package dev.panamark.ptx.compile;

import dev.panamark.ptx.analyze.Liveness;
import dev.panamark.ptx.analyze.Uniformity;
import dev.panamark.ptx.ir.Address;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Segment;
import dev.panamark.ptx.ir.Space;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Registers with addresses of words that may follow each other from lane to lane of a row. Whether they do is found when they
 * are first used, and is known until they are written; where they do, an access needs no check of each lane.
 */
final class Streams {
    /** Bytes of an access. */
    static final int BYTES = 4;

    /** About the bytes of JVM code of the ops of a segment that may be written twice. */
    private static final int MOST = 1_500;

    private static final long FARTHEST = 1 << 20;

    private final Uniformity uniformity;
    private final List<Set<Register>> bySegment = new ArrayList<>();
    private final BitSet twice = new BitSet();
    private final Set<Register> all = new HashSet<>();

    private Streams(Uniformity uniformity) {
        this.uniformity = uniformity;
    }

    static Streams of(List<Segment> segments, Uniformity uniformity) {
        Streams streams = new Streams(uniformity);
        Set<Register> together = new HashSet<>();
        for (Segment segment : segments) {
            if (segment.exit() instanceof Segment.Together exit) {
                Liveness.writes(exit.sync(), together::add);
            }
        }
        for (Segment segment : segments) {
            Set<Register> found = new LinkedHashSet<>();
            for (int i = 0; i < segment.ops().size(); i++) {
                Op op = segment.ops().get(i);
                if (!uniformity.ops(segment.index()).get(i) && fits(op)) {
                    found.add(base(op));
                }
            }
            segment.ops().forEach(op -> Liveness.writes(op, found::remove));
            found.removeIf(register -> together.contains(register)
                    || uniformity.in(segment.index()).get(register.number()));
            streams.bySegment.add(found);
            streams.twice.set(segment.index(), weight(segment, uniformity) <= MOST);
            streams.all.addAll(found);
        }
        return streams;
    }

    /** Those of a segment. */
    Set<Register> of(int segment) {
        return bySegment.get(segment);
    }

    /** The same where its ops may be written twice; else none. */
    Set<Register> ofShort(int segment) {
        return twice.get(segment) ? bySegment.get(segment) : Set.of();
    }

    /** Whether an op accesses a word through a register. */
    static boolean fits(Op op) {
        Address address = address(op);
        if (address == null
                || op.guard() != null
                || !(address.base() instanceof Expr.Read read)
                || address.offset() > FARTHEST
                || address.offset() < -FARTHEST
                || address.offset() % BYTES != 0) {
            return false;
        }
        Register.Storage storage = read.register().storage();
        return switch (op) {
            case Op.Load load -> load.type().bytes() * load.targets().size() == BYTES && fits(load.space(), storage);
            case Op.Store store ->
                store.type().bytes() * store.values().size() == BYTES && fits(store.space(), storage);
            default -> false;
        };
    }

    private static boolean fits(Space space, Register.Storage storage) {
        return (space == Space.SHARED && storage == Register.Storage.WORD)
                || (space == Space.GLOBAL && storage == Register.Storage.LONG);
    }

    private static @Nullable Address address(Op op) {
        return switch (op) {
            case Op.Load load -> load.address();
            case Op.Store store -> store.address();
            default -> null;
        };
    }

    private static Register base(Op op) {
        Address address = address(op);
        if (address != null && address.base() instanceof Expr.Read read) {
            return read.register();
        }
        throw new IllegalStateException("no register in " + op);
    }

    /** Of a register that a segment writes: whether lanes whose addresses followed each other may do so no more. */
    boolean breaks(Segment segment, Register register) {
        return all.contains(register) && !Moves.only(segment, register, uniformity);
    }

    /** Whether it may be a stream of any segment. */
    boolean contains(Register register) {
        return all.contains(register);
    }

    private static int weight(Segment segment, Uniformity uniformity) {
        int weight = 0;
        for (int i = 0; i < segment.ops().size(); i++) {
            if (!uniformity.ops(segment.index()).get(i)) {
                weight += switch (segment.ops().get(i)) {
                    case Op.Assign assign -> 10 + weight(assign.value());
                    case Op.Load load ->
                        30 + weight(load.address().base()) + 30 * load.targets().size();
                    case Op.Store store ->
                        30
                                + weight(store.address().base())
                                + store.values().stream()
                                        .mapToInt(value -> 30 + weight(value))
                                        .sum();
                    case Op.Atomic atomic -> MOST;
                    case Op.Copy copy -> MOST;
                    case Op.Act act -> MOST;
                    default -> 20;
                };
            }
        }
        return weight;
    }

    private static int weight(Expr expr) {
        return expr instanceof Expr.Call call
                ? 8 + call.arguments().stream().mapToInt(Streams::weight).sum()
                : 5;
    }
}
