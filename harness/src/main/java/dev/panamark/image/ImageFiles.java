package dev.panamark.image;

import dev.panamark.device.DeviceException;
import dev.panamark.device.UnsupportedException;
import dev.panamark.driver.compile.Sha256;
import dev.panamark.kernel.Image;
import dev.panamark.kernel.SourceClosure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/** Reads what images name. */
final class ImageFiles {
    /** Bytes of a file that is read. */
    private static final long LARGEST = 256L << 20;

    private ImageFiles() {}

    /** Refuses a file whose name ends in none of these. */
    static void requireSuffix(Path file, List<String> suffixes) {
        if (suffixes.stream().noneMatch(file.toString()::endsWith)) {
            throw new UnsupportedException(
                    "only " + String.join(", ", suffixes) + " files are run here, and " + file + " is none");
        }
    }

    /** All of a file, with where it comes from. */
    static Code read(Path file, SequencedMap<String, Object> facts) {
        try {
            if (Files.size(file) > LARGEST) {
                throw new UnsupportedException(
                        file + " has " + Files.size(file) + " bytes, and an image may have at most " + LARGEST);
            }
            return new Code(file.getFileName().toString(), file, Files.readAllBytes(file), Sha256.of(file), facts);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    /** Where what a compiler made comes from. */
    static SequencedMap<String, Object> made(String compiler, List<String> flags, String sourceSha256) {
        SequencedMap<String, Object> facts = new LinkedHashMap<>();
        facts.put("compiler", compiler);
        facts.put("flags", flags);
        facts.put("source_sha256", sourceSha256);
        return facts;
    }

    /** A source with what it includes. */
    static SourceClosure closure(Image image) {
        try {
            return SourceClosure.of(image.file(), image.options());
        } catch (IOException e) {
            throw unreadable(image.file(), e);
        }
    }

    private static DeviceException unreadable(Path file, IOException e) {
        return new DeviceException(file + " cannot be read: " + e.getMessage(), e);
    }
}
