package dev.panamark.kernel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * A place in a kernel file: what stands there, on which line, under which keys.
 *
 * @param file as the user named it
 * @param node what stands there
 * @param path keys and indices from the top, such as {@code buffers.q.shape[1]}
 */
record Field(String file, Node node, String path) {
    private static final int SHOWN = 60;
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** From 1. */
    int line() {
        return node.getStartMark().map(Mark::getLine).orElse(-1) + 1;
    }

    /** What is wrong here. */
    KernelFileException fault(String what) {
        return new KernelFileException(file, line(), path, what);
    }

    /** What is wrong with a key that is not here. */
    KernelFileException missing(String key, String expected) {
        return new KernelFileException(file, line(), under(key), "is missing; expected " + expected);
    }

    /** Whether it is a mapping. */
    boolean isMap() {
        return node instanceof MappingNode;
    }

    /** Whether it is a list. */
    boolean isList() {
        return node instanceof SequenceNode;
    }

    /** Whether it is a single value. */
    boolean isScalar() {
        return node instanceof ScalarNode && !node.getTag().equals(Tag.NULL);
    }

    /** Whether it is a single value without quotes. */
    boolean isPlain() {
        return node instanceof ScalarNode s && s.getScalarStyle() == ScalarStyle.PLAIN;
    }

    /** A mapping with any keys that are names. */
    SequencedMap<String, Field> named(String what) {
        SequencedMap<String, Field> all = entries("a mapping of " + what);
        all.forEach((key, value) -> {
            if (!NAME.matcher(key).matches()) {
                throw value.fault("'" + shown(key) + "' is no name; expected letters, digits and '_' for " + what);
            }
        });
        return all;
    }

    /** A mapping that may have these keys and no others. */
    Keys keys(String... allowed) {
        SequencedMap<String, Field> all = entries("a mapping with " + String.join(", ", allowed));
        all.forEach((key, value) -> {
            if (!Arrays.asList(allowed).contains(key)) {
                throw value.fault("unknown key '" + shown(key) + "'" + Near.hint(key, Arrays.asList(allowed)));
            }
        });
        return new Keys(this, all);
    }

    /** A mapping with any keys. */
    SequencedMap<String, Field> entries(String expected) {
        if (!(node instanceof MappingNode map)) {
            throw fault("is " + kind() + ", expected " + expected);
        }
        SequencedMap<String, Field> out = new LinkedHashMap<>();
        for (NodeTuple tuple : map.getValue()) {
            Field keyField = new Field(file, tuple.getKeyNode(), path);
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                throw keyField.fault("has a key that is " + keyField.kind() + ", expected a word");
            }
            String name = key.getValue();
            Field value = new Field(file, tuple.getValueNode(), under(shown(name)));
            if (out.putIfAbsent(name, value) != null) {
                throw new KernelFileException(file, keyField.line(), under(shown(name)), "is given twice");
            }
        }
        return out;
    }

    /** A list. */
    List<Field> list(String expected) {
        if (!(node instanceof SequenceNode sequence)) {
            throw fault("is " + kind() + ", expected " + expected);
        }
        List<Field> out = new ArrayList<>();
        for (Node item : sequence.getValue()) {
            out.add(new Field(file, item, path + "[" + out.size() + "]"));
        }
        return out;
    }

    /** The text of a single value that is not blank. */
    String text(String expected) {
        if (!isScalar() || ((ScalarNode) node).getValue().isBlank()) {
            throw fault("is " + kind() + ", expected " + expected);
        }
        String text = ((ScalarNode) node).getValue();
        // Escapes such as "\0" bring in what the file itself may not hold.
        if (text.chars().anyMatch(c -> Character.isISOControl(c) && c != '\n' && c != '\t')) {
            throw fault("has a control character, expected " + expected);
        }
        return text;
    }

    /** One of some words. */
    String oneOf(String... words) {
        String text = text("one of " + String.join(", ", words));
        if (!Arrays.asList(words).contains(text)) {
            throw fault("is '" + shown(text) + "', expected one of " + String.join(", ", words)
                    + (Near.names(text, Arrays.asList(words)).isEmpty() ? "" : Near.hint(text, Arrays.asList(words))));
        }
        return text;
    }

    /** Yes or no. */
    boolean flag() {
        return oneOf("true", "false").equals("true");
    }

    /** What stands here, in words. */
    String kind() {
        return switch (node) {
            case MappingNode m -> "a mapping";
            case SequenceNode s -> "a list";
            case ScalarNode s when s.getTag().equals(Tag.NULL) || s.getValue().isBlank() -> "empty";
            case ScalarNode s -> "'" + shown(s.getValue()) + "'";
            default -> "something else";
        };
    }

    /** Text that a person wrote, cut for a message. */
    static String shown(String text) {
        String line = text.replaceAll("\\s+", " ").replaceAll("\\p{Cntrl}", "?");
        return line.length() <= SHOWN ? line : line.substring(0, SHOWN) + "…";
    }

    private String under(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }
}
