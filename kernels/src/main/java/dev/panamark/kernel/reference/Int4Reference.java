package dev.panamark.kernel.reference;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.format.Formats;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * {@code quant.int4}: {@code x} [rows, cols] to codes {@code q}, scales {@code s} (f32) and zero points {@code z}, every bit
 * checked. Where they lie says convention {@code packing} ({@link Int4Packing}).
 *
 * <p>All in f32. Convention {@code symmetric: true} (the default): {@code scale = amax / 7} (1 where that is 0), zero point
 * 8, {@code code = clamp(rint(x / scale), -8, 7) + 8}; a buffer {@code z} may be missing. {@code symmetric: false}: with
 * {@code low = min(0, group)} and {@code high = max(0, group)}, as GPTQ has it, {@code scale = (high - low) / 15} (1 where
 * that is 0), zero point {@code rint(-low / scale)}, {@code code = clamp(rint(x / scale) + zero, 0, 15)}. Convention
 * {@code group}: elements that share a scale, -1 for a whole row or column; for plain by default what the shape of
 * {@code s} says.
 */
final class Int4Reference implements Reference {
    @Override
    public String name() {
        return "quant.int4";
    }

    @Override
    public List<String> faults(Instance instance) {
        Subject subject = new Subject(instance);
        Faults faults = new Faults(subject, name());
        faults.onlyConventions("group", "packing", "symmetric");
        faults.number("group");
        faults.word("symmetric", "true", "false");
        Int4Packing.check(faults);
        Optional<Buffer> x = faults.input("x", "[rows, cols]").filter(b -> faults.rank(b, "[rows, cols]", 2));
        x.ifPresent(b -> faults.type(b, DataType.F32, DataType.F16, DataType.BF16));
        Optional<Buffer> q = faults.output("q", "of codes");
        Optional<Buffer> s = faults.output("s", "of f32 scales");
        if (!symmetric(subject)) {
            faults.output("z", "of zero points");
        }
        if (x.isPresent() && q.isPresent() && s.isPresent()) {
            long rows = x.get().shape().dim(0);
            long cols = x.get().shape().dim(1);
            Int4Packing packing = Int4Packing.of(subject);
            if (subject.has("group")) {
                packing.checkShapes(faults, subject, rows, cols, q.get(), s.get());
            } else {
                long group = group(subject, x.get(), s.get());
                if (packing != Int4Packing.PLAIN || group < 1 || cols % group != 0) {
                    faults.needNumber("group", "the elements that share a scale");
                } else {
                    faults.type(q.get(), DataType.U8);
                    faults.type(s.get(), DataType.F32);
                    faults.shape(q.get(), "[rows, cols/2]", List.of(rows, cols / 2));
                }
            }
        }
        return faults.orUnchecked("q", "s", "z");
    }

    private static boolean symmetric(Subject subject) {
        return subject.word("symmetric", "true").equals("true");
    }

    private static long group(Subject subject, Buffer x, Buffer s) {
        long perRow = Math.max(1, s.shape().elements() / Math.max(1, x.shape().dim(0)));
        return subject.number("group").map(Double::longValue).orElse(x.shape().dim(1) / perRow);
    }

    /** Scale and zero point of each group. */
    @SuppressWarnings("ArrayRecordComponent") // as many as there are groups; compared by nobody
    private record Grid(float[] scales, int[] zeros) {
        static Grid symmetric(Groups groups, Tensor x) {
            float[] scales = groups.scales(x, 7);
            int[] zeros = new int[scales.length];
            Arrays.fill(zeros, 8);
            return new Grid(scales, zeros);
        }

        static Grid asymmetric(Groups groups, Tensor x) {
            float[] highs = groups.highs(x);
            float[] depths = groups.depths(x);
            float[] scales = new float[highs.length];
            int[] zeros = new int[highs.length];
            for (int g = 0; g < scales.length; g++) {
                scales[g] = Groups.orOne((highs[g] + depths[g]) / 15);
                zeros[g] = (int) Math.min(15, Math.rint(depths[g] / scales[g]));
            }
            return new Grid(scales, zeros);
        }

        long code(float x, int group) {
            return (long) Math.clamp(Math.rint(x / scales[group]) + zeros[group], 0, 15);
        }
    }

    @Override
    public List<Expectation> expect(Instance instance, Inputs inputs, long seed) {
        Subject subject = new Subject(instance);
        Tensor x = subject.tensor("x", inputs);
        Buffer q = subject.buffer("q");
        Buffer s = subject.buffer("s");
        Int4Packing packing = Int4Packing.of(subject);
        long cols = x.shape().dim(1);
        Groups groups = packing.groups(x.shape().dim(0), cols, group(subject, subject.buffer("x"), s));
        Grid grid = symmetric(subject) ? Grid.symmetric(groups, x) : Grid.asymmetric(groups, x);
        int perWord = packing.perWord();
        List<Expectation> all = new ArrayList<>();
        all.add(Expectation.ofWhole(q.name(), (from, count, into) -> {
            for (int i = 0; i < count; i++) {
                long word = 0;
                for (int k = 0; k < perWord; k++) {
                    long element = packing.elementOf((from + i) * perWord + k, cols);
                    word |= grid.code((float) Formats.get(x, element), groups.of(element)) << (4 * k);
                }
                Formats.setBits(q.type(), into, i, word);
            }
        }));
        all.add(Groups.expectation(s.name(), grid.scales()));
        subject.find("z").ifPresent(z -> all.add(packing.zeros(z, grid.zeros())));
        return List.copyOf(all);
    }
}
