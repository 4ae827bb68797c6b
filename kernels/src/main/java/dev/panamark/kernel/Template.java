package dev.panamark.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Text with {@code $name} in it, each of which is replaced by the value of an axis or a let. */
final class Template {
    private static final Pattern NAME = Pattern.compile("\\$(\\{[A-Za-z_][A-Za-z0-9_]*\\}|[A-Za-z_][A-Za-z0-9_]*)?");

    private final Field field;
    private final String text;

    private Template(Field field, String text) {
        this.field = field;
        this.text = text;
    }

    /** The text of a field. */
    static Template read(Field field, String expected, Names known) {
        return of(field, field.text(expected), known);
    }

    /** Text that stands at a field, such as a key of it. */
    static Template of(Field field, String text, Names known) {
        Template template = new Template(field, text);
        for (String name : template.names()) {
            if (name.isEmpty()) {
                throw field.fault("'" + Field.shown(text) + "' has a $ without a name; expected $axis or ${axis}");
            }
            if (!known.values().contains(name)) {
                throw field.fault("'" + Field.shown(text) + "' uses an unknown name '" + name + "'"
                        + Near.hint(name, new TreeSet<>(known.values())));
            }
        }
        return template;
    }

    /** The names in it, in order. */
    List<String> names() {
        List<String> names = new ArrayList<>();
        NAME.matcher(text).results().forEach(m -> names.add(name(m)));
        return names;
    }

    /** Where it stands. */
    Field field() {
        return field;
    }

    /** The text with values put in. */
    String resolve(Scope scope) {
        return NAME.matcher(text)
                .replaceAll(m -> java.util.regex.Matcher.quoteReplacement(
                        scope.value(name(m)).toString()));
    }

    @Override
    public String toString() {
        return text;
    }

    private static String name(MatchResult match) {
        String name = match.group(1);
        if (name == null) {
            return "";
        }
        return name.startsWith("{") ? name.substring(1, name.length() - 1) : name;
    }
}
