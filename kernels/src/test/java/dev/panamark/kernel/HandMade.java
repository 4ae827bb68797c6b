package dev.panamark.kernel;

import dev.panamark.kernel.format.Blocks;
import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.format.Formats;
import dev.panamark.kernel.reference.Expectation;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** Instances and tensors put together by hand, without a kernel file. */
public final class HandMade {
    private final String reference;
    private final List<Buffer> buffers = new ArrayList<>();
    private final Map<String, Value> conventions = new HashMap<>();
    private final Map<String, String> names = new HashMap<>();

    public HandMade(String reference) {
        this.reference = reference;
    }

    public HandMade add(Buffer buffer) {
        buffers.add(buffer);
        return this;
    }

    public HandMade input(String name, DataType type, Fill fill, long... dims) {
        return add(new Buffer(
                name,
                type,
                Shape.of(dims),
                Buffer.Role.INPUT,
                Optional.of(fill),
                Optional.empty(),
                Optional.empty(),
                OptionalDouble.empty(),
                Optional.empty()));
    }

    public HandMade input(String name, DataType type, long... dims) {
        return input(name, type, new Fill.Normal(0, 1), dims);
    }

    public HandMade output(String name, DataType type, OutputCheck check, long... dims) {
        return add(new Buffer(
                name,
                type,
                Shape.of(dims),
                Buffer.Role.OUTPUT,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalDouble.empty(),
                Optional.of(check)));
    }

    public HandMade number(String convention, double value) {
        conventions.put(convention, new Value.Real(value));
        return this;
    }

    public HandMade word(String convention, String value) {
        conventions.put(convention, new Value.Text(value));
        return this;
    }

    public HandMade rename(String role, String buffer) {
        names.put(role, buffer);
        return this;
    }

    public Instance build() {
        return new Instance(
                "test.hand.made",
                new Problem(new LinkedHashMap<>()),
                new LinkedHashMap<>(),
                new Image("cpu", Path.of("none.c"), List.of()),
                buffers,
                List.of(),
                new Check(Optional.of(reference), Optional.empty(), conventions, names),
                inputs -> new Work(new LinkedHashMap<>(), 0, 0, Optional.empty()),
                Optional.empty());
    }

    public static OutputCheck check(OutputCheck.Rule rule, double atol, double rtol) {
        return new OutputCheck(rule, atol, rtol, "e", OptionalDouble.empty());
    }

    public static OutputCheck exact() {
        return check(OutputCheck.Rule.EXACT, 0, 0);
    }

    /** A tensor of zeros on the heap. */
    public static Tensor zeros(DataType type, long... dims) {
        Shape shape = Shape.of(dims);
        return new Tensor(
                type, shape, MemorySegment.ofArray(new byte[Math.toIntExact(shape.elements() * type.bytes())]));
    }

    /** A tensor of these values. */
    public static Tensor tensor(DataType type, double[] values, long... dims) {
        Tensor t = zeros(type, dims);
        Formats.write(t, 0, values.length, values, false);
        return t;
    }

    public static Tensor copy(Tensor t) {
        Tensor copy = new Tensor(
                t.type(),
                t.shape(),
                MemorySegment.ofArray(new byte[(int) t.data().byteSize()]));
        copy.data().copyFrom(t.data());
        return copy;
    }

    /** All of an expectation that speaks about every element. */
    public static Tensor whole(Buffer buffer, Expectation expectation) {
        Tensor t = new Tensor(
                buffer.type(), buffer.shape(), MemorySegment.ofArray(new byte[Math.toIntExact(buffer.bytes())]));
        int bytes = buffer.type().bytes();
        Blocks.each(
                buffer.shape().elements(),
                (from, count) -> expectation
                        .whole()
                        .orElseThrow()
                        .bits(from, count, t.data().asSlice(from * bytes, (long) count * bytes)));
        return t;
    }

    /** The wanted values of a sampled expectation by position, NaN where nothing was computed. */
    public static double[] sampled(Buffer buffer, Expectation expectation) {
        double[] values = new double[Math.toIntExact(buffer.shape().elements())];
        java.util.Arrays.fill(values, Double.NaN);
        for (int i = 0; i < expectation.positions().length; i++) {
            values[(int) expectation.positions()[i]] = expectation.want()[i];
        }
        return values;
    }
}
