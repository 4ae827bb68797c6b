package dev.panamark.kernel;

import dev.panamark.kernel.format.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/** The work of one pass, which may depend on lengths and tables. Threads may share it. */
final class WorkOfInputs implements Instance.WorkFormula {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final WorkSpec spec;
    private final ProblemScope problem;
    private final SequencedMap<String, Buffer> buffers;
    private final Check check;

    WorkOfInputs(WorkSpec spec, ProblemScope problem, SequencedMap<String, Buffer> buffers, Check check) {
        this.spec = spec;
        this.problem = problem;
        this.buffers = buffers;
        this.check = check;
    }

    /** Computes whatever needs no inputs, so that its faults show before anything runs. */
    void checkWhatIsKnown() {
        Scope scope = new InputScope(Optional.empty());
        for (Formula formula : spec.all()) {
            if (formula.looksAtContents()) {
                formula.touch(scope);
                formula.calls().forEach(call -> checkTypes(formula, call));
            } else {
                amount(formula, scope);
            }
        }
        flops(scope, false);
    }

    private void checkTypes(Formula formula, Formula.Call call) {
        if (!call.function().equals("sum") && !call.function().equals("pairs")) {
            return;
        }
        for (String name : call.buffers()) {
            DataType type = buffer(name).type();
            if (type.floating()) {
                throw formula.field()
                        .fault(call.function() + "() adds up '" + name + "' of type " + type.tag()
                                + "; expected an integer type");
            }
        }
    }

    @Override
    public synchronized Work of(Inputs inputs) {
        Scope scope = new InputScope(Optional.of(inputs));
        return new Work(
                flops(scope, true),
                amount(spec.reads(), scope),
                amount(spec.writes(), scope),
                spec.tokens().map(t -> new Work.Tokens(amount(t, scope), spec.tokenKind())));
    }

    private SequencedMap<String, Double> flops(Scope scope, boolean all) {
        SequencedMap<String, Double> flops = new LinkedHashMap<>();
        spec.flops().forEach((kind, formula) -> {
            String name = kind.resolve(scope);
            double amount = all || !formula.looksAtContents() ? amount(formula, scope) : 0;
            if (flops.putIfAbsent(name, amount) != null) {
                throw kind.field().fault("two entries are both '" + name + "' (" + problem.problem() + ")");
            }
        });
        return flops;
    }

    private static double amount(Formula formula, Scope scope) {
        Rational value = formula.number(scope);
        if (value.isWhole() && !value.isLong()) {
            throw formula.fault("is " + value + ", beyond 2^63-1, the largest whole number", scope);
        }
        if (value.compareTo(Rational.ZERO) < 0) {
            throw formula.fault("is " + value + ", expected 0 or more", scope);
        }
        return value.toDouble();
    }

    private Buffer buffer(String name) {
        Buffer found = buffers.get(name);
        if (found == null) {
            throw new IllegalArgumentException(name);
        }
        return found;
    }

    /** The problem together with the inputs, where there are any. */
    private final class InputScope implements Scope {
        private final Optional<Inputs> inputs;

        InputScope(Optional<Inputs> inputs) {
            this.inputs = inputs;
        }

        @Override
        public Object value(String name) {
            return problem.value(name);
        }

        @Override
        public Rational device(String name) {
            return problem.device(name);
        }

        @Override
        public String situation(Set<String> names) {
            return problem.situation(names);
        }

        @Override
        public Rational call(Formula.Call call) {
            String first = call.buffers().getFirst();
            String last = call.buffers().getLast();
            return switch (call.function()) {
                case "bytes" -> Rational.of(buffer(first).bytes());
                case "elements" -> Rational.of(buffer(first).shape().elements());
                case "sum" -> sum(first);
                case "pairs" -> call.buffers().size() == 1 ? sum(first) : pairs(first, last);
                case "unique" -> unique(buffer(first), buffer(last));
                default -> throw new IllegalStateException(call.toString());
            };
        }

        private Tensor tensor(String name) {
            Tensor tensor = inputs.orElseThrow(() -> new IllegalStateException("no inputs"))
                    .get(name);
            return tensor;
        }

        private Rational sum(String name) {
            Tensor tensor = tensor(name);
            BigInteger total = BigInteger.ZERO;
            for (long i = 0; i < tensor.shape().elements(); i++) {
                total = total.add(BigInteger.valueOf(at(tensor, i)));
            }
            return Rational.of(total);
        }

        /** Pairs that attention really computes: all, or those not above the diagonal that ends at the last key. */
        private Rational pairs(String queries, String keys) {
            Tensor q = tensor(queries);
            Tensor k = tensor(keys);
            if (q.shape().elements() != k.shape().elements()) {
                throw new ArithmeticException("pairs '" + queries + "' " + q.shape() + " with '" + keys + "' "
                        + k.shape() + "; expected one length each for every sequence");
            }
            String causal = String.valueOf(check.conventions().getOrDefault("causal", new Value.Text("none")));
            BigInteger total = BigInteger.ZERO;
            for (long i = 0; i < q.shape().elements(); i++) {
                total = total.add(pairs(at(q, i), at(k, i), causal));
            }
            return Rational.of(total);
        }

        private BigInteger pairs(long queries, long keys, String causal) {
            BigInteger q = BigInteger.valueOf(queries);
            BigInteger k = BigInteger.valueOf(keys);
            return switch (causal) {
                case "none", "false" -> q.multiply(k);
                // Query i of Lq sees Lk - Lq + i + 1 keys, at least none: a triangle is cut off the rectangle.
                case "bottom-right", "true" -> {
                    BigInteger rows = q.min(k);
                    yield rows.multiply(k)
                            .subtract(
                                    rows.multiply(rows.subtract(BigInteger.ONE)).shiftRight(1));
                }
                // Query i sees i + 1 keys, at most all of them.
                case "top-left" -> {
                    BigInteger rows = q.min(k);
                    yield rows.multiply(rows.add(BigInteger.ONE))
                            .shiftRight(1)
                            .add(q.subtract(rows).multiply(k));
                }
                default ->
                    throw new ArithmeticException(
                            "does not know pairs for causal: " + causal + "; expected none, bottom-right or top-left");
            };
        }

        /** Bytes of the slots in use: of each page, the most that any sequence uses. */
        private Rational unique(Buffer pool, Buffer table) {
            Buffer.Paging paging = pool.paging().orElseThrow();
            if (!(table.fill().orElse(null) instanceof Fill.PageTable fill)) {
                throw new IllegalStateException(table.name());
            }
            Tensor lens = tensor(fill.lens());
            Tensor entries = tensor(table.name());
            long row = table.shape().dim(1);
            Map<Long, Long> slots = new HashMap<>();
            for (long s = 0; s < lens.shape().elements(); s++) {
                long left = at(lens, s);
                for (long p = 0; p < row && left > 0; p++, left -= fill.page()) {
                    slots.merge(at(entries, s * row + p), Math.min(left, fill.page()), Math::max);
                }
            }
            BigInteger used = slots.values().stream().map(BigInteger::valueOf).reduce(BigInteger.ZERO, BigInteger::add);
            BigInteger all = BigInteger.valueOf(pool.shape().dim(paging.pageDim()))
                    .multiply(BigInteger.valueOf(pool.shape().dim(paging.slotDim())));
            return new Rational(BigInteger.valueOf(pool.bytes()).multiply(used), all);
        }
    }

    private static long at(Tensor tensor, long i) {
        MemorySegment data = tensor.data();
        DataType type = tensor.type();
        return switch (type) {
            case I8 -> data.get(ValueLayout.JAVA_BYTE, i);
            case U8 -> Byte.toUnsignedLong(data.get(ValueLayout.JAVA_BYTE, i));
            case I16 -> data.get(SHORT, 2 * i);
            case U16 -> Short.toUnsignedLong(data.get(SHORT, 2 * i));
            case I32 -> data.get(INT, 4 * i);
            case U32 -> Integer.toUnsignedLong(data.get(INT, 4 * i));
            case I64, U64 -> data.get(LONG, 8 * i);
            default -> throw new ArithmeticException(type.tag() + " is no integer type");
        };
    }
}
