package dev.panamark.result;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.io.CharConversionException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON value by value without a tree of it: a tree of a large result, with the line of every value, takes far more
 * memory than its rows. Knows the way to where it stands, so that everything that is wrong is said with file, line and
 * field. Every method reads the value that the cursor stands on. Used by one thread.
 */
final class JsonCursor {
    private final String file;
    private final Sharing sharing = new Sharing();
    /** Names of fields and numbers of elements on the way from the top; made into text only when somebody asks. */
    private final List<Object> path = new ArrayList<>();

    private JsonParser p;
    private int firstLine = 1;

    /** Values of the maps that are being read, the innermost last. */
    private @Nullable Object[] stack;

    private int top;
    private double[] reals = new double[1024];

    @SuppressWarnings("NullAway.Init") // whole sets the parser before anything is read
    JsonCursor(String file) {
        this.file = file;
        this.stack = new @Nullable Object[64];
    }

    /** What reads the whole of a text. */
    interface Body<T> {
        T read() throws IOException;
    }

    /**
     * Reads one JSON value and makes sure that nothing comes after it.
     *
     * @param parser at the beginning
     * @param line of the file where the text begins, from 1
     * @throws ResultFileException when it is not JSON or {@code body} refuses it
     */
    <T> T whole(JsonParser parser, int line, Body<T> body) throws IOException {
        p = parser;
        firstLine = line;
        path.clear();
        top = 0;
        try {
            if (p.nextToken() == null) {
                throw new ResultFileException(file, 0, "", "is empty; expected a JSON object with " + RunResult.SCHEMA);
            }
            T all = body.read();
            if (p.nextToken() != null) {
                throw new ResultFileException(file, line(), "", "holds more after its end");
            }
            return all;
        } catch (StreamConstraintsException e) {
            throw new ResultFileException(
                    file, inFile(p.currentLocation().getLineNr()), place(), "is no result: " + words(e));
        } catch (JsonProcessingException e) {
            if (e instanceof JsonEOFException || e.getOriginalMessage().startsWith("Unexpected end-of-input")) {
                throw new ResultFileException(
                        file,
                        inFile(e.getLocation().getLineNr()),
                        place(),
                        "the file ends here: it was cut short; write it again, or resume from the run's journal");
            }
            throw new ResultFileException(
                    file,
                    inFile(e.getLocation() == null ? 1 : e.getLocation().getLineNr()),
                    place(),
                    "is not JSON: " + words(e));
        } catch (CharConversionException e) {
            throw new ResultFileException(file, inFile(p.currentLocation().getLineNr()), place(), "is not UTF-8 text");
        }
    }

    private static String words(JsonProcessingException e) {
        String text = e.getOriginalMessage();
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }

    // ---- places

    private int inFile(int inText) {
        return Math.max(1, inText) + firstLine - 1;
    }

    /** Line of the file where this value begins. */
    int line() {
        return inFile(p.currentTokenLocation().getLineNr());
    }

    private String place() {
        StringBuilder all = new StringBuilder();
        for (Object part : path) {
            if (part instanceof Integer index) {
                all.append('[').append(index).append(']');
            } else {
                all.append(all.isEmpty() ? "" : ".").append(part);
            }
        }
        return all.toString();
    }

    /** This value is wrong. */
    ResultFileException wrong(String problem) {
        return wrong(line(), problem);
    }

    private ResultFileException wrong(int line, String problem) {
        return new ResultFileException(file, line, place(), problem);
    }

    /** Another value was expected here. What is no JSON at all, further on in this one, is said instead. */
    private ResultFileException expected(String what) throws IOException {
        int line = line();
        String found = describe();
        p.skipChildren();
        return wrong(line, "expected " + what + ", found " + found);
    }

    private String describe() throws IOException {
        return switch (p.currentToken()) {
            case VALUE_NULL -> "null";
            case VALUE_STRING -> {
                String text = p.getText();
                yield "the text \"" + (text.length() > 40 ? text.substring(0, 40) + "..." : text) + "\"";
            }
            case VALUE_TRUE, VALUE_FALSE -> p.getText();
            case VALUE_NUMBER_INT -> isOversize() ? "a number out of range" : "the whole number " + p.getLongValue();
            case VALUE_NUMBER_FLOAT -> {
                double real = p.getDoubleValue();
                yield Double.isFinite(real)
                        ? "the number " + real
                        : Double.isNaN(real) ? "NaN" : "a number out of range";
            }
            case START_ARRAY -> "a list";
            case START_OBJECT -> "an object";
            case NOT_AVAILABLE, END_OBJECT, END_ARRAY, FIELD_NAME, VALUE_EMBEDDED_OBJECT ->
                throw new IllegalStateException("JSON token " + p.currentToken());
        };
    }

    private boolean isOversize() throws IOException {
        return p.getNumberType() == JsonParser.NumberType.BIG_INTEGER;
    }

    /** What a record itself refuses, of an object that begins in this line of the file. */
    ResultFileException refused(int line, IllegalArgumentException e) {
        return wrong(line, String.valueOf(e.getMessage()));
    }

    // ---- objects with known fields

    /** The fields of an object that is being read. */
    final class Fields {
        private final FieldNames names;
        private final int line;
        private long seen;
        private boolean inside;

        private Fields(FieldNames names, int line) {
            this.names = names;
            this.line = line;
        }

        /** Line of the file where the object begins. */
        int line() {
            return line;
        }

        /** Goes to the next value and gives its field; null at the end of the object. */
        @Nullable
        String next() throws IOException {
            if (inside) {
                path.removeLast();
                inside = false;
            }
            if (p.nextToken() != JsonToken.FIELD_NAME) {
                return null;
            }
            String name = p.currentName();
            path.add(name);
            inside = true;
            long bit = names.bit(name);
            if ((seen & bit) != 0) {
                throw twice();
            }
            seen |= bit;
            p.nextToken();
            if (bit == 0) {
                int at = JsonCursor.this.line();
                p.skipChildren();
                throw wrong(at, "is no field of " + RunResult.SCHEMA + "; expected one of " + names);
            }
            return name;
        }

        /** Refuses an object that lacks a required field; to be called at its end. */
        void requireAll() {
            String missing = names.missing(seen);
            if (!missing.isEmpty()) {
                throw wrong(line, "the field '" + missing + "' is missing");
            }
        }
    }

    private JsonParseException twice() {
        return new JsonParseException(p, "the field stands there twice");
    }

    /** Enters an object. */
    Fields fields(FieldNames names) throws IOException {
        requireObject();
        return new Fields(names, line());
    }

    private void requireObject() throws IOException {
        if (p.currentToken() != JsonToken.START_OBJECT) {
            throw expected("an object");
        }
    }

    // ---- objects with any fields

    /** Reads an object; {@code value} reads a value and never gives null. */
    <V> FrozenMap<V> map(Body<V> value) throws IOException {
        int from = top;
        FrozenMap.Names names = entries(value);
        return FrozenMap.of(names, popped(from));
    }

    /** Reads an object as {@link JsonValues} would make it. */
    FrozenMap<Object> json() throws IOException {
        int from = top;
        FrozenMap.Names names = entries(this::jsonValue);
        return sharing.map(FrozenMap.ofJson(names, popped(from)));
    }

    private FrozenMap.Names entries(Body<?> value) throws IOException {
        requireObject();
        Sharing.Keys keys = sharing.none();
        Set<String> many = new LinkedHashSet<>(); // once there are more than are shared
        while (p.nextToken() == JsonToken.FIELD_NAME) {
            String name = p.currentName();
            path.add(name);
            if (many.isEmpty() && keys.list().size() == Sharing.MOST_SHARED) {
                many.addAll(keys.list());
            }
            if (many.isEmpty()) {
                Sharing.Keys longer = keys.plus(name);
                if (longer == null) {
                    throw twice();
                }
                keys = longer;
            } else if (!many.add(name)) {
                throw twice();
            }
            p.nextToken();
            push(value.read());
            path.removeLast();
        }
        return many.isEmpty() ? keys.names() : new FrozenMap.Names(List.copyOf(many));
    }

    private Object jsonValue() throws IOException {
        return switch (p.currentToken()) {
            case START_OBJECT -> json();
            case START_ARRAY -> sharing.list(list(this::jsonValue));
            case VALUE_STRING -> sharing.text(p);
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> throw expected("a value");
            case VALUE_NUMBER_INT -> {
                if (isOversize()) {
                    throw expected("a number that fits 64 bits");
                }
                yield sharing.whole(p.getLongValue());
            }
            case VALUE_NUMBER_FLOAT -> {
                double real = p.getDoubleValue();
                if (!Double.isFinite(real)) {
                    throw expected("a number that fits 64 bits");
                }
                yield sharing.real(real);
            }
            case NOT_AVAILABLE, END_OBJECT, END_ARRAY, FIELD_NAME, VALUE_EMBEDDED_OBJECT ->
                throw new IllegalStateException("JSON token " + p.currentToken());
        };
    }

    private void push(Object value) {
        if (top == stack.length) {
            stack = Arrays.copyOf(stack, 2 * top);
        }
        stack[top++] = value;
    }

    private Object[] popped(int from) {
        Object[] values = Arrays.copyOfRange(stack, from, top);
        Arrays.fill(stack, from, top, null);
        top = from;
        return values;
    }

    // ---- lists

    /** Reads a list; {@code item} reads one of its values and never gives null. */
    <T> List<T> list(Body<T> item) throws IOException {
        requireList();
        List<T> out = new ArrayList<>();
        while (p.nextToken() != JsonToken.END_ARRAY) {
            path.add(out.size());
            out.add(item.read());
            path.removeLast();
        }
        return List.copyOf(out);
    }

    /** Reads a list of texts. */
    @SuppressWarnings("unchecked") // an equal list holds texts, too
    List<String> texts() throws IOException {
        return (List<String>) sharing.list(list(this::text));
    }

    /** Reads a list of finite numbers. */
    SampleList reals() throws IOException {
        requireList();
        int count = 0;
        for (JsonToken token = p.nextToken(); token != JsonToken.END_ARRAY; token = p.nextToken()) {
            if (count == reals.length) {
                reals = Arrays.copyOf(reals, 2 * count);
            }
            double value = token == JsonToken.VALUE_NUMBER_FLOAT ? p.getDoubleValue() : Double.NaN;
            if (!Double.isFinite(value)) {
                path.add(count);
                value = real();
                path.removeLast();
            }
            reals[count] = value;
            count++;
        }
        return SampleList.of(reals, count);
    }

    private void requireList() throws IOException {
        if (p.currentToken() != JsonToken.START_ARRAY) {
            throw expected("a list");
        }
    }

    // ---- scalars

    boolean isNull() {
        return p.currentToken() == JsonToken.VALUE_NULL;
    }

    String text() throws IOException {
        if (p.currentToken() != JsonToken.VALUE_STRING) {
            throw expected("text");
        }
        return sharing.text(p);
    }

    @Nullable
    String textOrNull() throws IOException {
        return isNull() ? null : text();
    }

    Long whole() throws IOException {
        if (p.currentToken() != JsonToken.VALUE_NUMBER_INT || isOversize()) {
            throw expected("a whole number that fits 64 bits");
        }
        return sharing.whole(p.getLongValue());
    }

    /** A finite number, whole or not. */
    double real() throws IOException {
        if (p.currentToken() == JsonToken.VALUE_NUMBER_INT && !isOversize()) {
            return p.getLongValue();
        }
        if (p.currentToken() == JsonToken.VALUE_NUMBER_FLOAT && Double.isFinite(p.getDoubleValue())) {
            return p.getDoubleValue();
        }
        throw expected("a finite number");
    }

    @Nullable
    Double realOrNull() throws IOException {
        return isNull() ? null : (Double) real();
    }

    /** An equal metric that was read before, or this one. */
    Metric shared(Metric metric) {
        return sharing.metric(metric);
    }
}
