package dev.panamark.ptx.analyze;

import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.InstructionClass;
import dev.panamark.ptx.ir.KernelCode;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Segment;
import dev.panamark.ptx.ir.Site;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Cuts a kernel into segments and finds where lanes meet. */
final class SegmentBuilder {
    /** Of {@link #weight}: about 2,500 bytes of JVM code, so that a method stays below 4,000 with what surrounds it. */
    private static final int HEAVIEST = 2500;

    private final Emitter emitter;
    private final List<Draft> drafts = new ArrayList<>();
    private final Map<Integer, Integer> labels = new HashMap<>();

    /** A segment whose exit still names labels. */
    private static final class Draft {
        final List<Op> ops = new ArrayList<>();

        @Nullable
        Item exit;

        int weight;
        int lastSite = -1;
    }

    private SegmentBuilder(Emitter emitter) {
        this.emitter = emitter;
    }

    static KernelCode build(
            String name, Emitter emitter, int parameterBytes, int sharedBytes, int dynamicAlignment, int localBytes) {
        SegmentBuilder builder = new SegmentBuilder(emitter);
        List<Segment> segments = builder.segments();
        BitSet live = Liveness.of(segments).in(0);
        List<Register> undefined = emitter.registers.all().stream()
                .filter(register -> live.get(register.number()))
                .toList();
        return new KernelCode(
                name,
                segments,
                emitter.registers,
                List.copyOf(emitter.sites),
                parameterBytes,
                sharedBytes,
                dynamicAlignment,
                localBytes,
                undefined,
                emitter.oneHostThread);
    }

    private List<Segment> segments() {
        Draft current = open();
        for (Item item : emitter.items) {
            switch (item) {
                case Item.Do does -> {
                    int weight = weight(does.op());
                    int site = does.op().site().index();
                    if (current.weight + weight > HEAVIEST && site != current.lastSite && !current.ops.isEmpty()) {
                        current = open();
                    }
                    current.ops.add(does.op());
                    current.weight += weight;
                    current.lastSite = site;
                }
                case Item.Mark mark -> {
                    if (!current.ops.isEmpty()) {
                        current = open();
                    }
                    labels.put(mark.label(), drafts.size() - 1);
                }
                case Item.Cut cut -> {
                    if (!current.ops.isEmpty()) {
                        current = open();
                    }
                }
                default -> {
                    current.exit = item;
                    current = open();
                }
            }
        }
        return finish();
    }

    private Draft open() {
        Draft draft = new Draft();
        drafts.add(draft);
        return draft;
    }

    private int target(int label) {
        Integer at = labels.get(label);
        if (at == null) {
            throw new IllegalStateException("label " + label + " has no place");
        }
        return at;
    }

    private int[] next(int i) {
        return switch (drafts.get(i).exit) {
            case Item.Go go -> new int[] {target(go.label())};
            case Item.If branch ->
                target(branch.label()) == i + 1 ? new int[] {i + 1} : new int[] {target(branch.label()), i + 1};
            case Item.Stop stop -> new int[0];
            case null, default -> new int[] {i + 1};
        };
    }

    private List<Segment> finish() {
        int[] numbers = reachable();
        List<Integer> kept = new ArrayList<>();
        for (int i = 0; i < numbers.length; i++) {
            if (numbers[i] >= 0) {
                kept.add(i);
            }
        }
        int[][] successors = new int[kept.size()][];
        for (int i = 0; i < kept.size(); i++) {
            int[] next = next(kept.get(i));
            successors[i] = new int[next.length];
            for (int k = 0; k < next.length; k++) {
                successors[i][k] = numbers[next[k]];
            }
        }
        int[] meets = Flow.meets(successors);
        List<Segment> segments = new ArrayList<>();
        for (int i = 0; i < kept.size(); i++) {
            segments.add(segment(i, drafts.get(kept.get(i)), successors[i], meets[i]));
        }
        return List.copyOf(segments);
    }

    /** New numbers of what can be reached, in order; -1 for the rest. */
    private int[] reachable() {
        int[] numbers = new int[drafts.size()];
        boolean[] seen = new boolean[drafts.size()];
        Deque<Integer> open = new ArrayDeque<>();
        open.push(0);
        seen[0] = true;
        while (!open.isEmpty()) {
            for (int next : next(open.pop())) {
                if (!seen[next]) {
                    seen[next] = true;
                    open.push(next);
                }
            }
        }
        int count = 0;
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = seen[i] ? count++ : -1;
        }
        return numbers;
    }

    private Segment segment(int index, Draft draft, int[] next, int meet) {
        Set<Integer> sites = new HashSet<>();
        for (Op op : draft.ops) {
            if (op.site().kind() != InstructionClass.NONE) {
                sites.add(op.site().index());
            }
        }
        Item item = draft.exit;
        Segment.Exit exit = switch (item) {
            case Item.Go go -> new Segment.Jump(go.site(), next[0], go.counted());
            case Item.If branch ->
                next.length == 1
                        ? new Segment.Jump(branch.site(), next[0], true)
                        : new Segment.Branch(
                                branch.site(), branch.predicate(), branch.negated(), next[0], next[1], meet);
            case Item.Meet together -> new Segment.Together(together.site(), together.sync(), next[0]);
            case Item.Stop stop -> new Segment.End(stop.site());
            case null, default -> new Segment.Jump(someSite(draft), next[0], false);
        };
        Site last = exit.site();
        boolean counted = !(exit instanceof Segment.Jump jump && !jump.counted());
        if (counted && last.kind() != InstructionClass.NONE) {
            sites.add(last.index());
        }
        return new Segment(index, List.copyOf(draft.ops), exit, sites.size());
    }

    private Site someSite(Draft draft) {
        return draft.ops.isEmpty()
                ? emitter.sites.get(0)
                : draft.ops.get(draft.ops.size() - 1).site();
    }

    /** About the bytes of JVM code of an op. */
    private static int weight(Op op) {
        return switch (op) {
                    case Op.Assign assign -> 4 + weight(assign.value());
                    case Op.Load load ->
                        24 + weight(load.address().base()) + 20 * load.targets().size();
                    case Op.Store store ->
                        24
                                + weight(store.address().base())
                                + store.values().stream()
                                        .mapToInt(value -> 16 + weight(value))
                                        .sum();
                    case Op.Atomic atomic -> 48 + weight(atomic.address().base()) + weight(atomic.value());
                    case Op.Copy copy ->
                        48 + weight(copy.target().base()) + weight(copy.source().base()) + weight(copy.size());
                    case Op.Fetch fetch -> 16 + weight(fetch.address().base());
                    case Op.Act act ->
                        48
                                + act.arguments().stream()
                                        .mapToInt(SegmentBuilder::weight)
                                        .sum();
                    default -> 16;
                }
                + (op.guard() == null ? 0 : 10)
                + 8;
    }

    private static int weight(Expr expr) {
        return expr instanceof Expr.Call call
                ? 4 + call.arguments().stream().mapToInt(SegmentBuilder::weight).sum()
                : 4;
    }
}
