package dev.panamark.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/** JSON with a member a line, indented by two spaces; elements of an array that are no objects stay in one line. */
public final class IndentedJson {
    private IndentedJson() {}

    /** What is written. */
    @FunctionalInterface
    public interface Body {
        /** Writes one value. */
        void write(JsonGenerator g) throws IOException;
    }

    /** A text that ends with a line feed. */
    public static String text(Body body) {
        StringWriter out = new StringWriter();
        try (JsonGenerator g = new JsonFactory().createGenerator(out)) {
            indent(g);
            body.write(g);
            g.writeRaw('\n');
        } catch (IOException e) {
            throw new UncheckedIOException("memory refused JSON", e); // a StringWriter never does
        }
        return out.toString();
    }

    /** Has a generator write like this. */
    public static void indent(JsonGenerator g) {
        g.setPrettyPrinter(new DefaultPrettyPrinter(
                        Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER))
                .withObjectIndenter(new DefaultIndenter("  ", "\n")));
    }
}
