package dev.panamark.kernel;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads a YAML file that somebody else wrote: refuses what is not plain, small, shallow YAML, with the line. */
final class YamlFile {
    /** Largest file, bytes. */
    static final int MAX_BYTES = 1 << 20;

    /** Deepest nesting; the format itself needs about eight levels. */
    static final int MAX_DEPTH = 32;

    private final String name;

    private YamlFile(String name) {
        this.name = name;
    }

    /** The bytes of a file of at most {@link #MAX_BYTES}; the file's fault otherwise. */
    static byte[] bytes(Path file) {
        String name = file.toString();
        if (!Files.exists(file)) {
            throw new KernelFileException(name, 0, "", "there is no such file");
        }
        // A pipe or a device could block for ever.
        if (!Files.isRegularFile(file)) {
            throw new KernelFileException(
                    name,
                    0,
                    "",
                    "is " + (Files.isDirectory(file) ? "a directory" : "no regular file") + ", expected a kernel file");
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new KernelFileException(name, 0, "", "is larger than 1 MiB, the most a kernel file may have");
            }
            return bytes;
        } catch (IOException e) {
            throw new KernelFileException(name, 0, "", "cannot be read: " + reason(e));
        }
    }

    /** The root of the document in {@code bytes}. */
    static Field parse(String name, byte[] bytes) {
        return new YamlFile(name).root(bytes);
    }

    /** What an I/O exception says, without the file name that it may consist of. */
    static String reason(IOException e) {
        if (e instanceof java.nio.file.AccessDeniedException) {
            return "permission denied";
        }
        String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }

    private Field root(byte[] bytes) {
        String text = text(bytes);
        LoadSettings settings = LoadSettings.builder()
                .setLabel(name)
                .setCodePointLimit(MAX_BYTES + 1)
                .setAllowNonScalarKeys(true) // Field refuses them, and knows the line
                .build();
        try {
            guard(new Parse(settings).parseString(text));
            Optional<Node> root = new Compose(settings).composeString(text);
            return new Field(name, root.orElseThrow(() -> fault(0, "is empty, expected a kernel file")), "");
        } catch (MarkedYamlEngineException e) {
            int line =
                    e.getProblemMark().or(e::getContextMark).map(Mark::getLine).orElse(-1) + 1;
            String context = e.getContext();
            throw fault(line, "is not YAML: " + (context == null ? "" : context + ", ") + e.getProblem());
        } catch (YamlEngineException e) {
            throw fault(0, "is not YAML: " + e.getMessage());
        }
    }

    private String text(byte[] bytes) {
        if (bytes.length == 0) {
            throw fault(0, "is empty, expected a kernel file");
        }
        CharBuffer out = CharBuffer.allocate(bytes.length);
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CoderResult result = StandardCharsets.UTF_8.newDecoder().decode(in, out, true);
        String text = out.flip().toString();
        boolean indent = true;
        int line = 1;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\t' && indent) {
                throw fault(line, "has a tab in the indentation; YAML wants spaces there");
            }
            if (Character.isISOControl(c) && c != '\t' && c != '\n' && c != '\r') {
                throw fault(line, "is binary (byte 0x%02x), expected YAML text".formatted((int) c));
            }
            if (c == '\n') {
                line++;
            }
            indent = c == '\n' || (indent && c == ' ');
        }
        if (result.isError()) {
            throw fault(line, "is not UTF-8 text (byte 0x%02x)".formatted(bytes[in.position()]));
        }
        if (text.startsWith("\uFEFF")) {
            text = text.substring(1);
        }
        if (text.isBlank()) {
            throw fault(0, "is empty, expected a kernel file");
        }
        return text;
    }

    /** Composing recurses and follows aliases, so depth, aliases and tags are refused before it. */
    private void guard(Iterable<Event> events) {
        int depth = 0;
        int documents = 0;
        for (Event event : events) {
            int line = event.getStartMark().map(Mark::getLine).orElse(-1) + 1;
            if (event instanceof AliasEvent) {
                throw fault(line, "uses an alias (*name), which kernel files do not have; write the value out");
            }
            if (event instanceof NodeEvent node && node.getAnchor().isPresent()) {
                throw fault(line, "uses an anchor (&name), which kernel files do not have; write the value out");
            }
            if ((event instanceof ScalarEvent s && s.getTag().isPresent())
                    || (event instanceof CollectionStartEvent c && c.getTag().isPresent())) {
                throw fault(line, "uses a tag (!name), which kernel files do not have; leave it out");
            }
            if (event instanceof CollectionStartEvent && ++depth > MAX_DEPTH) {
                throw fault(line, "is nested deeper than " + MAX_DEPTH + " levels");
            }
            if (event instanceof CollectionEndEvent) {
                depth--;
            }
            if (event instanceof DocumentStartEvent && ++documents > 1) {
                throw fault(line, "has a second document (---), expected one kernel");
            }
        }
    }

    private KernelFileException fault(int line, String what) {
        return new KernelFileException(name, line, "", what);
    }
}
