package dev.panamark.kernel;

import dev.panamark.kernel.format.DataType;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The acceptance of one output as a kernel file describes it; what it leaves out depends on the type.
 *
 * @param field where it stands; the buffer itself where the file says nothing
 * @param rule name of a rule
 * @param atol largest absolute difference
 * @param rtol largest relative difference
 * @param base of a log-sum-exp
 * @param empty value for a row without keys
 */
record OutputCheckSpec(
        Field field,
        Optional<Template> rule,
        Optional<Formula> atol,
        Optional<Formula> rtol,
        String base,
        Optional<BufferSpec.AnyReal> empty) {

    /** The rules of a file that says nothing. */
    static OutputCheckSpec none(Field buffer) {
        return new OutputCheckSpec(buffer, Optional.empty(), Optional.empty(), Optional.empty(), "e", Optional.empty());
    }

    /** What stands in a {@code check} of a buffer. */
    static OutputCheckSpec read(Field field, Names known) {
        Keys keys = field.keys("rule", "atol", "rtol", "base", "empty");
        Optional<Template> rule =
                keys.optional("rule").map(f -> Template.read(f, "one of " + String.join(", ", tags()), known));
        // A rule that depends on the problem is looked up for each of them.
        Optional<OutputCheck.Rule> fixed = rule.filter(t -> t.names().isEmpty())
                .map(t -> ruleOf(t.field(), t.field().oneOf(tags().toArray(String[]::new))));
        Optional<Formula> atol = keys.optional("atol").map(f -> Formula.read(f, known));
        Optional<Formula> rtol = keys.optional("rtol").map(f -> Formula.read(f, known));
        if (fixed.filter(r -> r == OutputCheck.Rule.EXACT).isPresent() && (atol.isPresent() || rtol.isPresent())) {
            throw field.fault("rule exact takes no atol and no rtol");
        }
        if (fixed.filter(r -> r == OutputCheck.Rule.COSINE).isPresent() && rtol.isEmpty()) {
            throw field.missing("rtol", "the largest 1 - cosine that rule cosine accepts");
        }
        return new OutputCheckSpec(
                field,
                rule,
                atol,
                rtol,
                keys.optional("base").map(f -> f.oneOf("e", "2")).orElse("e"),
                keys.optional("empty").map(f -> BufferSpec.AnyReal.read(f, known)));
    }

    private static List<String> tags() {
        return Arrays.stream(OutputCheck.Rule.values())
                .map(OutputCheck.Rule::tag)
                .toList();
    }

    private static OutputCheck.Rule ruleOf(Field field, String tag) {
        return Arrays.stream(OutputCheck.Rule.values())
                .filter(r -> r.tag().equals(tag))
                .findFirst()
                .orElseThrow(() ->
                        field.fault("is '" + Field.shown(tag) + "', expected one of " + String.join(", ", tags())));
    }

    /** The check of an output of this type. */
    OutputCheck resolve(DataType type, Scope scope) {
        boolean tolerances = atol.isPresent() || rtol.isPresent();
        OutputCheck.Rule applied = rule.map(t -> ruleOf(t.field(), t.resolve(scope)))
                .orElseGet(() -> !type.floating() || (type.bytes() == 1 && !tolerances)
                        ? OutputCheck.Rule.EXACT
                        : OutputCheck.Rule.CLOSE);
        if (!type.floating() && applied == OutputCheck.Rule.TWICE_NATIVE) {
            throw field.fault("rule twice-native compares rounding errors, which " + type.tag() + " has none of");
        }
        double preset = applied == OutputCheck.Rule.CLOSE && !tolerances ? tolerance(type) : 0;
        return new OutputCheck(
                applied,
                atol.map(f -> bound(f, scope)).orElse(preset),
                rtol.map(f -> bound(f, scope)).orElse(preset),
                base,
                empty.map(e -> OptionalDouble.of(e.resolve(scope))).orElse(OptionalDouble.empty()));
    }

    /** In words. */
    String text(String type) {
        StringBuilder out = new StringBuilder();
        boolean tolerances = atol.isPresent() || rtol.isPresent();
        rule.ifPresent(out::append);
        if (rule.isEmpty()) {
            Optional<DataType> known = DataType.ofTag(type);
            out.append(tolerances ? "close" : known.map(OutputCheckSpec::preset).orElse("by type"));
        }
        atol.ifPresent(f -> out.append(" atol ").append(f));
        rtol.ifPresent(f -> out.append(" rtol ").append(f));
        if (!base.equals("e")) {
            out.append(" base ").append(base);
        }
        empty.ifPresent(e -> out.append(" empty ").append(e));
        return out.toString();
    }

    private static String preset(DataType type) {
        return type.floating() && type.bytes() > 1
                ? "close atol %1$.0e rtol %1$.0e".formatted(tolerance(type))
                : "exact";
    }

    /** Of values near one, some units in the last place after a sum of a few thousand terms in single precision. */
    private static double tolerance(DataType type) {
        return switch (type) {
            case F64 -> 1e-12;
            case F32 -> 1e-5;
            case F16 -> 1e-3;
            case BF16 -> 1e-2;
            default -> 0;
        };
    }

    private static double bound(Formula formula, Scope scope) {
        double value = formula.real(scope);
        if (value < 0) {
            throw formula.fault("is " + value + ", expected 0 or more", scope);
        }
        return value;
    }
}
