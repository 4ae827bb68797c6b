package dev.panamark.device;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Reads the small text files of /proc and /sys, any of which may be absent or forbidden. */
public final class TextFiles {
    private static final int LIMIT = 16 << 20;

    private TextFiles() {}

    /** All of it; empty when it cannot be read. */
    public static Optional<String> text(Path file) {
        // The size that /proc and /sys state is not that of the text, so it is read to its end.
        try (InputStream in = Files.newInputStream(file)) {
            return Optional.of(new String(in.readNBytes(LIMIT), StandardCharsets.UTF_8));
        } catch (IOException | UncheckedIOException e) {
            return Optional.empty();
        }
    }

    /** The contents without white space around them; empty when there is nothing in it. */
    public static Optional<String> word(Path file) {
        return text(file).map(String::strip).filter(s -> !s.isEmpty());
    }

    /** The whole number in it; empty when there is none. */
    public static OptionalLong number(Path file) {
        return word(file).map(TextFiles::parse).orElse(OptionalLong.empty());
    }

    /** The whole number that a text is, but for white space; empty when it is none. */
    public static OptionalLong parse(String text) {
        try {
            return OptionalLong.of(Long.parseLong(text.strip()));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    /** Names in a folder that match, sorted; none when it cannot be read. */
    public static List<String> names(Path folder, String pattern) {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(p -> String.valueOf(p.getFileName()))
                    .filter(n -> n.matches(pattern))
                    .sorted()
                    .toList();
        } catch (IOException | UncheckedIOException e) {
            return List.of();
        }
    }
}
