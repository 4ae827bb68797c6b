package dev.panamark.kernel;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.stream.Stream;

/** The kernel files and sources inside the program, and their copy on disk. */
final class BuiltinFiles {
    private static final int HASH_DIGITS = 16;

    private final SequencedMap<String, byte[]> contents;

    private BuiltinFiles(SequencedMap<String, byte[]> contents) {
        this.contents = Collections.unmodifiableSequencedMap(contents);
    }

    /** The resources that {@code root/index.txt} lists, one path a line. */
    static BuiltinFiles load(String root) {
        SequencedMap<String, byte[]> contents = new LinkedHashMap<>();
        String index = root + "/index.txt";
        String[] lines = new String(resource(index), StandardCharsets.UTF_8).split("\n", -1);
        for (int i = 0; i < lines.length; i++) {
            String name = lines[i].strip();
            if (name.isEmpty() || name.startsWith("#")) {
                continue;
            }
            if (name.startsWith("/") || name.contains("..") || name.contains("\\")) {
                throw new KernelFileException(index, i + 1, "", "'" + name + "' is no path below the index");
            }
            contents.put(name, resource(root + "/" + name));
        }
        return new BuiltinFiles(contents);
    }

    /** Paths below the root, in the order of the index. */
    List<String> names() {
        return List.copyOf(contents.keySet());
    }

    /** The folder that holds all files, complete and unchanged. */
    Path extract(Path cacheDir) {
        Path folder = cacheDir.resolve("kernels-" + hash());
        try {
            Files.createDirectories(cacheDir);
            if (!Files.isDirectory(folder)) {
                publish(cacheDir, folder);
            }
            // Somebody may have edited a copy; what is measured must be what the hash says.
            for (var e : contents.entrySet()) {
                Path file = folder.resolve(e.getKey());
                if (!Files.isRegularFile(file) || !Arrays.equals(Files.readAllBytes(file), e.getValue())) {
                    replace(cacheDir, file, e.getValue());
                }
            }
            return folder;
        } catch (IOException e) {
            throw new KernelFileException(
                    cacheDir.toString(),
                    0,
                    "",
                    "the built-in kernels cannot be copied here: " + YamlFile.reason(e)
                            + "; expected a folder that can be written");
        }
    }

    /** Writes a folder under another name and renames it, so that nobody ever sees half of it. */
    private void publish(Path cacheDir, Path folder) throws IOException {
        Path temporary = Files.createTempDirectory(cacheDir, "kernels-");
        try {
            for (var e : contents.entrySet()) {
                Path file = temporary.resolve(e.getKey());
                Files.createDirectories(file.resolveSibling(""));
                Files.write(file, e.getValue());
            }
            try {
                Files.move(temporary, folder, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                // Another process was first; its folder has the same contents.
                if (!Files.isDirectory(folder)) {
                    throw e;
                }
            }
        } finally {
            delete(temporary);
        }
    }

    private static void replace(Path cacheDir, Path file, byte[] bytes) throws IOException {
        Path temporary = Files.createTempFile(cacheDir, "kernel-", ".tmp");
        try {
            Files.write(temporary, bytes);
            Files.createDirectories(file.resolveSibling(""));
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> inside = Files.walk(folder)) {
            for (Path path : inside.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }

    private String hash() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            contents.forEach((name, bytes) -> {
                digest.update((name + "\n" + bytes.length + "\n").getBytes(StandardCharsets.UTF_8));
                digest.update(bytes);
            });
            return HexFormat.of().formatHex(digest.digest()).substring(0, HASH_DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] resource(String name) {
        try (InputStream in = BuiltinFiles.class.getClassLoader().getResourceAsStream(name)) {
            if (in == null) {
                throw new KernelFileException(name, 0, "", "is missing from the program; build it again");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new KernelFileException(name, 0, "", "cannot be read from the program: " + YamlFile.reason(e));
        }
    }
}
