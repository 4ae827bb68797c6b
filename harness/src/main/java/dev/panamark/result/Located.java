package dev.panamark.result;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JSON value and the line where it begins.
 *
 * @param value null, text, Boolean, Long, Double, {@code Oversize}, {@code List<Located>} or
 *     {@code Map<String, Located>}
 * @param line from 1
 */
record Located(@Nullable Object value, int line) {

    /** A number that fits neither a long nor a finite double. */
    record Oversize(String text) {}

    /** What it is, for messages. */
    String describe() {
        return switch (value) {
            case null -> "null";
            case String text -> "the text \"" + (text.length() > 40 ? text.substring(0, 40) + "..." : text) + "\"";
            case Boolean bool -> bool.toString();
            case Long whole -> "the whole number " + whole;
            case Double real -> "the number " + real;
            case Oversize big -> "NaN".equals(big.text()) ? "NaN" : "a number out of range";
            case List<?> list -> "a list";
            case Map<?, ?> map -> "an object";
            default -> throw new IllegalStateException(value.getClass().getName());
        };
    }

    /**
     * Reads the value that the parser stands on. Keeps {@code path} up to date, so that it names the place when the
     * parser throws.
     */
    static Located read(JsonParser p, Path path) throws IOException {
        int line = p.currentTokenLocation().getLineNr();
        JsonToken token = p.currentToken();
        return switch (token) {
            case START_OBJECT -> {
                Map<String, Located> map = new LinkedHashMap<>();
                while (p.nextToken() == JsonToken.FIELD_NAME) {
                    String name = p.currentName();
                    path.push(name);
                    if (map.containsKey(name)) {
                        throw new JsonParseException(p, "the field stands there twice");
                    }
                    p.nextToken();
                    map.put(name, read(p, path));
                    path.pop();
                }
                yield new Located(map, line);
            }
            case START_ARRAY -> {
                List<Located> list = new ArrayList<>();
                path.push(0);
                while (p.nextToken() != JsonToken.END_ARRAY) {
                    list.add(read(p, path));
                    path.pop();
                    path.push(list.size());
                }
                path.pop();
                yield new Located(list, line);
            }
            case VALUE_STRING -> new Located(path.shared(p.getText()), line);
            case VALUE_TRUE -> new Located(true, line);
            case VALUE_FALSE -> new Located(false, line);
            case VALUE_NULL -> new Located(null, line);
            case VALUE_NUMBER_INT ->
                new Located(
                        p.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                                ? new Oversize(p.getText())
                                : (Object) p.getLongValue(),
                        line);
            case VALUE_NUMBER_FLOAT -> {
                double real = p.getDoubleValue();
                yield new Located(Double.isFinite(real) ? real : (Object) new Oversize(p.getText()), line);
            }
            default -> throw new IllegalStateException("JSON token " + token);
        };
    }

    /** The way from the top of the file to the value being read, and the texts that were met on it. */
    static final class Path {
        /** More different texts than this are not remembered: a file that says something new in every row. */
        private static final int MOST_TEXTS = 50_000;

        /** Names of fields and numbers of elements; made into text only when somebody asks. */
        private final List<Object> parts = new ArrayList<>();

        private final Map<String, String> texts = new HashMap<>();

        /** The same text as one object: rows repeat names, reasons and notes thousands of times. */
        String shared(String text) {
            String known = texts.get(text);
            if (known != null) {
                return known;
            }
            if (texts.size() < MOST_TEXTS) {
                texts.put(text, text);
            }
            return text;
        }

        void push(Object part) {
            parts.add(part);
        }

        void pop() {
            parts.removeLast();
        }

        @Override
        public String toString() {
            StringBuilder all = new StringBuilder();
            for (Object part : parts) {
                if (part instanceof Integer index) {
                    all.append('[').append(index).append(']');
                } else {
                    all.append(all.isEmpty() ? "" : ".").append(part);
                }
            }
            return all.toString();
        }
    }
}
