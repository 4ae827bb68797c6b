package dev.panamark.kernel;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What outputs are compared with, as a kernel file describes it.
 *
 * @param field where it stands
 * @param reference name of a reference
 * @param against name of another kernel
 * @param oracle whether only others are checked against it
 * @param conventions what the family leaves open
 * @param buffers names of the reference to names of the file
 */
record CheckSpec(
        Field field,
        Optional<String> reference,
        Optional<Field> against,
        boolean oracle,
        SequencedMap<String, Convention> conventions,
        SequencedMap<String, String> buffers) {

    /** What stands under {@code check}. */
    static CheckSpec read(Field field, Names known) {
        Keys keys = field.keys("reference", "against", "oracle", "conventions", "buffers");
        boolean oracle = keys.optional("oracle")
                .map(f -> f.oneOf("true", "false").equals("true"))
                .orElse(false);
        long given = Stream.of(keys.has("reference"), keys.has("against"), oracle)
                .filter(b -> b)
                .count();
        if (given != 1) {
            throw field.fault(
                    given > 1
                            ? "has more than one of reference, against and oracle: true; expected one of them"
                            : "has none of reference, against and oracle: true; expected the name of a reference, the name"
                                    + " of another kernel, or oracle: true for a kernel that only others are checked against");
        }
        SequencedMap<String, Convention> conventions = new LinkedHashMap<>();
        keys.optional("conventions")
                .ifPresent(all -> all.named("conventions")
                        .forEach((name, f) -> conventions.put(name, Convention.read(f, known))));
        SequencedMap<String, String> buffers = new LinkedHashMap<>();
        keys.optional("buffers")
                .ifPresent(all -> all.named("buffers of the reference")
                        .forEach((name, f) -> buffers.put(name, BuffersReader.name(f, known.buffers()))));
        Optional<Field> against = keys.optional("against");
        against.ifPresent(f -> f.text("the name of another kernel"));
        return new CheckSpec(
                field,
                keys.optional("reference").map(f -> f.text("the name of a reference")),
                against,
                oracle,
                conventions,
                buffers);
    }

    /** The check for one problem. */
    Check resolve(Scope scope) {
        SequencedMap<String, Value> values = new LinkedHashMap<>();
        conventions.forEach((name, convention) -> values.put(name, convention.resolve(scope)));
        return new Check(reference, against.map(f -> f.text("a kernel")), oracle, values, buffers);
    }

    /** A word, text with {@code $name} in it, or an expression. */
    record Convention(Optional<Formula> formula, Optional<Template> word) {
        private static final Pattern WORD = Pattern.compile("[A-Za-z][A-Za-z0-9_.-]*");

        /** What stands in a field: an expression where it names something known, otherwise the word itself. */
        static Convention read(Field field, Names known) {
            String text = field.text("a word, a number or an expression");
            if (text.contains("$")) {
                return new Convention(Optional.empty(), Optional.of(Template.read(field, "a word", known)));
            }
            boolean word = WORD.matcher(text).matches() && (!field.isPlain() || !isFormula(text, known));
            return word
                    ? new Convention(Optional.empty(), Optional.of(Template.read(field, "a word", known)))
                    : new Convention(Optional.of(Formula.read(field, known)), Optional.empty());
        }

        /** "n-major" is a word although n may be an axis; "heads-kv_heads" is a difference. */
        private static boolean isFormula(String text, Names known) {
            return text.startsWith("device.")
                    || Arrays.stream(text.split("[.-]", -1))
                            .allMatch(part -> known.values().contains(part) || part.matches("true|false|[0-9]+"));
        }

        /** Its value for one problem. */
        Value resolve(Scope scope) {
            return formula.map(f -> f.value(scope))
                    .orElseGet(
                            () -> new Value.Text(word.map(w -> w.resolve(scope)).orElse("")));
        }

        @Override
        public String toString() {
            return formula.map(Formula::text)
                    .orElseGet(() -> word.map(Template::toString).orElse(""));
        }
    }
}
