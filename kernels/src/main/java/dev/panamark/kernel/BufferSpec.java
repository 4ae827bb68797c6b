package dev.panamark.kernel;

import dev.panamark.kernel.format.DataType;
import java.util.List;
import java.util.Optional;

/**
 * A buffer as its kernel file describes it, for every problem.
 *
 * @param name as in the file
 * @param field where it stands
 * @param type name of an element type
 * @param shape extents, outermost first
 * @param role what the kernel does with it
 * @param fill its contents
 * @param scale name of its buffer of scales
 * @param range what whole numbers it may hold
 * @param unused the value of elements that nothing uses
 * @param paging how a pool of pages is addressed
 * @param check how it is accepted
 * @param packed numbers that an element holds
 * @param restored whether an inout gets its contents back before each launch
 */
record BufferSpec(
        String name,
        Field field,
        Template type,
        List<Formula> shape,
        Buffer.Role role,
        Optional<FillSpec> fill,
        Optional<String> scale,
        Optional<Range> range,
        Optional<Unused> unused,
        Optional<Paging> paging,
        OutputCheckSpec check,
        Optional<Formula> packed,
        boolean restored) {

    /** How a pool is addressed; the dimensions may differ from problem to problem, as layouts do. */
    record Paging(Field field, String table, Formula pageDim, Formula slotDim) {
        /** The dimensions of a pool of this rank for one problem. */
        Buffer.Paging resolve(int rank, Scope scope) {
            long page = pageDim.whole(scope, 0);
            long slot = slotDim.whole(scope, 0);
            if (page >= rank || slot >= rank || page == slot) {
                throw field.fault("paging dimensions " + page + " and " + slot
                        + " do not fit; expected two different ones from 0 to " + (rank - 1));
            }
            return new Buffer.Paging(table, (int) page, (int) slot);
        }
    }

    /** Whole numbers in [low, high). */
    record Range(Field field, Formula low, Formula high) {}

    /** A number or one of nan, inf and -inf. */
    record AnyReal(Field field, Optional<Formula> formula, double special) {
        private static final String EXPECTED = "a number, an expression, nan, inf or -inf";

        /** What stands in a field. */
        static AnyReal read(Field field, Names known) {
            return switch (field.text(EXPECTED)) {
                case "nan", ".nan", "NaN", ".NaN" -> new AnyReal(field, Optional.empty(), Double.NaN);
                case "inf", "+inf", ".inf", "+.inf" -> new AnyReal(field, Optional.empty(), Double.POSITIVE_INFINITY);
                case "-inf", "-.inf" -> new AnyReal(field, Optional.empty(), Double.NEGATIVE_INFINITY);
                default -> new AnyReal(field, Optional.of(Formula.read(field, known)), 0);
            };
        }

        /** Its value for one problem. */
        double resolve(Scope scope) {
            return formula.map(f -> f.real(scope)).orElse(special);
        }

        @Override
        public String toString() {
            return formula.map(Formula::text).orElse(Double.toString(special).replace("Infinity", "inf"));
        }
    }

    /** The value of elements that nothing uses; without one, NaN or the largest number where a type has no NaN. */
    record Unused(Field field, Optional<AnyReal> value) {
        private static final String LOUDEST = "nan-or-max";

        /** What stands in a field. */
        static Unused read(Field field, Names known) {
            return field.text(AnyReal.EXPECTED + ", or " + LOUDEST).equals(LOUDEST)
                    ? new Unused(field, Optional.empty())
                    : new Unused(field, Optional.of(AnyReal.read(field, known)));
        }

        /** Its value for one problem and a type. */
        double resolve(DataType type, Scope scope) {
            return value.map(v -> v.resolve(scope))
                    .orElseGet(() -> type.floating() ? Double.NaN : (double) TypeRange.max(type));
        }

        @Override
        public String toString() {
            return value.map(AnyReal::toString).orElse(LOUDEST);
        }
    }

    /** The dimension whose extent is written exactly like {@code text}; empty unless there is exactly one. */
    Optional<Integer> dimension(String text) {
        List<Integer> found = java.util.stream.IntStream.range(0, shape.size())
                .filter(i -> shape.get(i).compact().equals(text))
                .boxed()
                .toList();
        return found.size() == 1 ? Optional.of(found.getFirst()) : Optional.empty();
    }

    /** The same buffer with what was derived from the others. */
    BufferSpec with(Optional<FillSpec> newFill, Optional<Paging> newPaging) {
        return new BufferSpec(
                name, field, type, shape, role, newFill, scale, range, unused, newPaging, check, packed, restored);
    }
}
