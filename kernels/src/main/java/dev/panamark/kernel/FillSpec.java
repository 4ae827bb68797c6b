package dev.panamark.kernel;

import dev.panamark.kernel.format.DataType;
import java.util.List;
import java.util.Optional;

/** The contents of a buffer as a kernel file describes them. */
sealed interface FillSpec {

    /** Where it stands. */
    Field field();

    /**
     * The fill of a buffer for one problem.
     *
     * @param reals whether it stands for reals: of a floating-point type, or with a scale
     */
    Fill resolve(DataType type, boolean reals, Scope scope);

    /** In words. */
    String text();

    /** Normally distributed. */
    record Normal(Field field, Formula mean, Formula stdev) implements FillSpec {
        @Override
        public Fill resolve(DataType type, boolean reals, Scope scope) {
            needsReals(type, reals, field, "normal");
            double spread = stdev.real(scope);
            if (spread <= 0) {
                throw stdev.fault("is " + spread + ", expected a standard deviation above 0", scope);
            }
            return new Fill.Normal(mean.real(scope), spread);
        }

        @Override
        public String text() {
            return "normal(" + mean + ", " + stdev + ")";
        }
    }

    /** Evenly distributed. */
    record Uniform(Field field, Optional<Formula> min, Optional<Formula> max) implements FillSpec {
        @Override
        public Fill resolve(DataType type, boolean reals, Scope scope) {
            if (!reals && (min.isEmpty() || max.isEmpty())) {
                throw field.fault(
                        "needs min and max for " + type.tag() + "; expected {uniform: {min: , max: }} or bits");
            }
            Fill.Uniform fill = new Fill.Uniform(
                    min.map(f -> number(f, type, reals, scope)).orElse(0.0),
                    max.map(f -> number(f, type, reals, scope)).orElse(1.0));
            boolean empty = reals ? fill.min() >= fill.max() : fill.min() > fill.max();
            if (empty) {
                throw field.fault("min " + fill.min() + " is not below max " + fill.max());
            }
            return fill;
        }

        @Override
        public String text() {
            return "uniform[" + min.map(Formula::text).orElse("0") + ", "
                    + max.map(Formula::text).orElse("1") + "]";
        }
    }

    /** One value. */
    record Constant(Field field, Formula value) implements FillSpec {
        @Override
        public Fill resolve(DataType type, boolean reals, Scope scope) {
            return new Fill.Constant(number(value, type, reals, scope));
        }

        @Override
        public String text() {
            return "constant " + value;
        }
    }

    /** Equal steps. */
    record Iota(Field field, Formula start, Formula step) implements FillSpec {
        @Override
        public Fill resolve(DataType type, boolean reals, Scope scope) {
            return new Fill.Iota(number(start, type, reals, scope), number(step, type, reals, scope));
        }

        @Override
        public String text() {
            return "iota(" + start + ", " + step + ")";
        }
    }

    /** Random bits. */
    record Bits(Field field) implements FillSpec {
        @Override
        public Fill resolve(DataType type, boolean reals, Scope scope) {
            return new Fill.Bits();
        }

        @Override
        public String text() {
            return "bits";
        }
    }

    /** Sequence lengths. */
    record Lengths(Field field, boolean uniform, Formula min, Formula max) implements FillSpec {
        @Override
        public Fill resolve(DataType type, boolean reals, Scope scope) {
            needsInteger(type, field, "lengths");
            long low = min.whole(scope, 0);
            long high = max.whole(scope, 0);
            if (low > high) {
                throw field.fault("min " + low + " is above max " + high + scope.situation(max.names()));
            }
            if (high > TypeRange.max(type)) {
                throw max.fault("is " + high + ", more than " + type.tag() + " holds", scope);
            }
            return new Fill.Lengths(uniform, low, high);
        }

        @Override
        public String text() {
            return uniform ? "lengths uniform in [" + min + ", " + max + "]" : "lengths all " + max;
        }
    }

    /** A block table. */
    record PageTable(Field field, String lens, Formula page, Optional<Template> order) implements FillSpec {
        /** How the pages of a pool may be dealt out. */
        static final List<String> ORDERS = List.of("random", "sequential");

        @Override
        public Fill resolve(DataType type, boolean reals, Scope scope) {
            needsInteger(type, field, "page_table");
            String word = order.map(o -> o.resolve(scope)).orElse("random");
            if (!ORDERS.contains(word)) {
                throw order.map(Template::field)
                        .orElse(field)
                        .fault("'" + order.map(Template::toString).orElse("") + "' is '" + Field.shown(word)
                                + "', expected one of " + String.join(", ", ORDERS));
            }
            return new Fill.PageTable(lens, page.whole(scope, 1), word.equals("random"));
        }

        @Override
        public String text() {
            return "pages of " + page + " for " + lens + ", "
                    + order.map(Template::toString).orElse("random");
        }
    }

    /** Scales of another buffer. */
    record AmaxOf(Field field, String buffer, Formula max, Optional<List<Integer>> dims) implements FillSpec {
        @Override
        public Fill resolve(DataType type, boolean reals, Scope scope) {
            needsReals(type, type.floating(), field, "amax_of");
            double target = max.real(scope);
            if (target < 0) {
                throw max.fault("is " + target + ", expected a magnitude above 0, or 0 for scales of 1", scope);
            }
            return new Fill.AmaxOf(
                    buffer, target, dims.orElseThrow(() -> new IllegalStateException("dims of " + field.path())));
        }

        @Override
        public String text() {
            return "amax of " + buffer + " / " + max;
        }
    }

    private static void needsReals(DataType type, boolean reals, Field field, String fill) {
        if (!reals) {
            throw field.fault("fill " + fill + " makes reals, but the type is " + type.tag()
                    + "; expected uniform, iota, constant, zeros or bits");
        }
    }

    private static void needsInteger(DataType type, Field field, String fill) {
        if (type.floating()) {
            throw field.fault("fill " + fill + " makes whole numbers, but the type is " + type.tag()
                    + "; expected an integer type such as i32");
        }
    }

    private static double number(Formula formula, DataType type, boolean reals, Scope scope) {
        if (reals) {
            return formula.real(scope);
        }
        Rational value = formula.number(scope);
        if (!value.isWhole() || !TypeRange.holds(type, value.toDouble())) {
            throw formula.fault("is " + value + ", expected a whole number that " + type.tag() + " holds", scope);
        }
        return value.toDouble();
    }
}
