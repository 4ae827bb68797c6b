package dev.panamark.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Lines of the files that an image was made of, read when they are first asked for. */
final class SourceText {
    private static final long LARGEST = 64L << 20;

    private static final String OF_TEXT = "ptx";

    private final Path image;
    private final Map<String, List<String>> files = new HashMap<>();

    /** {@code image} is the source or the PTX text; other files are named from its folder. */
    SourceText(Path image) {
        this.image = image.toAbsolutePath();
    }

    /** What stands at {@code file:line}, or {@code ptx:line}; empty where that file is not there or shorter. */
    Optional<String> line(String place) {
        int colon = place.lastIndexOf(':');
        if (colon < 0) {
            return Optional.empty();
        }
        int number;
        try {
            number = Integer.parseInt(place.substring(colon + 1));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
        List<String> lines = file(place.substring(0, colon));
        return number >= 1 && number <= lines.size()
                ? Optional.of(lines.get(number - 1).strip())
                : Optional.empty();
    }

    /** All lines of a file that is named from the image's folder, or of the text for {@code ptx}; none where it is not there. */
    List<String> file(String name) {
        return files.computeIfAbsent(name, this::read);
    }

    /** UTF-8, or where it is none the old one byte a character. */
    private static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }
    }

    private List<String> read(String name) {
        try {
            Path file =
                    name.equals(OF_TEXT) ? image : image.resolveSibling(name).normalize();
            boolean fits = !name.equals(OF_TEXT) || image.toString().endsWith(".ptx");
            return fits && Files.isRegularFile(file) && Files.size(file) <= LARGEST
                    ? text(Files.readAllBytes(file)).lines().toList()
                    : List.of();
        } catch (IOException | InvalidPathException e) {
            return List.of(); // shown without its code
        }
    }
}
