package dev.panamark.driver.nvrtc;

import dev.panamark.driver.compile.CompileException;
import dev.panamark.driver.compile.SourceFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A source as NVRTC is given it.
 *
 * @param folder the source's, without symbolic links
 * @param name the source's, without its folder; messages and {@code __FILE__} have it alone, as from nvcc
 * @param options those of the kernel file
 * @param headers text by name
 */
record NvrtcSource(Path source, Path folder, String name, NvrtcOptions options, Map<String, String> headers) {
    static NvrtcSource of(SourceFile file, List<String> options, Optional<Path> toolkit) throws IOException {
        Path folder = file.folder().toRealPath();
        NvrtcOptions taken = NvrtcOptions.of(options, file.path(), folder);
        String name = String.valueOf(file.path().getFileName());
        if (name.chars().anyMatch(Character::isISOControl)) {
            throw new CompileException(file.path()
                    + " has a name with a control character, which a line of source cannot" + " hold; rename it");
        }
        List<Path> folders = new ArrayList<>(taken.folders());
        toolkit.ifPresent(folders::add);
        return new NvrtcSource(file.path(), folder, name, taken, StandardHeaders.but(folders));
    }

    /** From whose folder {@code #include "…"} starts. */
    Path path() {
        return folder.resolve(name);
    }

    /** The source's bytes, its lines numbered as in the file. */
    byte[] text() throws IOException {
        String first = StandardHeaders.FIRST + "#line 1 \""
                + name.replace("\\", "\\\\").replace("\"", "\\\"") + "\"\n";
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        text.writeBytes(first.getBytes(StandardCharsets.UTF_8));
        text.writeBytes(Files.readAllBytes(source));
        return text.toByteArray();
    }
}
