package dev.panamark.kernel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A source file and all that it includes from beside it.
 *
 * <p>An {@code #include "name"} is looked for in the folder of the file that has it, then in the folders of {@code -I}
 * options; an {@code #include <name>} in the latter only, so headers of the compiler and the system are not in it.
 * Whether an {@code #if} hides an include does not matter, comments do; an include whose name is a macro is not seen.
 *
 * @param sha256 in hex, of the contents of all files, each once, in the order in which a reader meets them first, and of
 *     the names of those that are missing; where the files lie does not count
 * @param files absolute, in that order, the source first
 * @param missing includes in quotes that were found nowhere, with the file that has them; often headers of the compiler
 */
public record SourceClosure(String sha256, List<Path> files, List<String> missing) {
    private static final String FORMAT = "panamark.closure/1\n";
    /** Options that name a folder of headers; files named by {@code -include} are not followed. */
    private static final List<String> INCLUDE = List.of("-I", "-isystem", "-iquote", "--include-path");

    private static final int MAX_FILES = 10_000;
    private static final int TEXT_STARTS_WITHIN = 8192;

    /** Copies. */
    public SourceClosure {
        files = List.copyOf(files);
        missing = List.copyOf(missing);
    }

    /**
     * Reads it.
     *
     * @param source of any language with {@code #include}; a binary is taken as it is
     * @param options of the compiler; folders of {@code -I} and its kin are relative to the source's
     * @throws IOException where a file cannot be read, or more than 10,000 are included
     */
    public static SourceClosure of(Path source, List<String> options) throws IOException {
        Path start = source.toAbsolutePath().normalize();
        return new Walk(includeFolders(start.resolveSibling(""), options)).from(start);
    }

    /** The folders that options name, in order. */
    private static List<Path> includeFolders(Path folder, List<String> options) {
        List<Path> folders = new ArrayList<>();
        for (int i = 0; i < options.size(); i++) {
            String option = options.get(i);
            for (String name : INCLUDE) {
                if (option.equals(name) && i + 1 < options.size()) {
                    resolved(folder, options.get(i + 1)).ifPresent(folders::add);
                } else if (option.startsWith(name) && !option.equals(name)) {
                    resolved(folder, option.substring(name.length()).replaceFirst("^=", ""))
                            .ifPresent(folders::add);
                }
            }
        }
        return folders;
    }

    private static Optional<Path> resolved(Path folder, String name) {
        try {
            return Optional.of(folder.resolve(name).normalize());
        } catch (InvalidPathException e) {
            return Optional.empty(); // no file can have this name
        }
    }

    /** Depth first, as a compiler would read. */
    private static final class Walk {
        private final List<Path> folders;
        private final MessageDigest digest = sha256();
        private final Set<Path> seen = new LinkedHashSet<>();
        private final List<String> missing = new ArrayList<>();

        /** What is still to be read, the next first. */
        private final Deque<Pending> pending = new ArrayDeque<>();

        private record Pending(Path file, Includes.Include include) {}

        Walk(List<Path> folders) {
            this.folders = folders;
        }

        SourceClosure from(Path start) throws IOException {
            digest.update(FORMAT.getBytes(StandardCharsets.UTF_8));
            read(start);
            while (!pending.isEmpty()) {
                Pending next = pending.pop();
                Optional<Path> found = find(next);
                if (found.isPresent()) {
                    if (!seen.contains(found.get())) {
                        read(found.get());
                    }
                } else if (next.include().quoted()) {
                    missing.add("\"" + next.include().name() + "\" in " + next.file());
                    add("missing", next.include().name().getBytes(StandardCharsets.UTF_8));
                }
            }
            return new SourceClosure(HexFormat.of().formatHex(digest.digest()), List.copyOf(seen), missing);
        }

        private void read(Path file) throws IOException {
            if (seen.size() == MAX_FILES) {
                throw new IOException("more than " + MAX_FILES + " files are included");
            }
            seen.add(file);
            byte[] bytes = Files.readAllBytes(file);
            add("file", bytes);
            if (isText(bytes)) {
                Includes.in(bytes).reversed().forEach(include -> pending.push(new Pending(file, include)));
            }
        }

        private Optional<Path> find(Pending wanted) {
            List<Path> places = new ArrayList<>(folders);
            if (wanted.include().quoted()) {
                places.addFirst(wanted.file().resolveSibling(""));
            }
            return places.stream()
                    .flatMap(place -> resolved(place, wanted.include().name()).stream())
                    .filter(Files::isRegularFile)
                    .findFirst();
        }

        private void add(String kind, byte[] bytes) {
            digest.update((kind + " " + bytes.length + "\n").getBytes(StandardCharsets.US_ASCII));
            digest.update(bytes);
        }

        private static boolean isText(byte[] bytes) {
            for (int i = 0; i < Math.min(bytes.length, TEXT_STARTS_WITHIN); i++) {
                if (bytes[i] == 0) {
                    return false;
                }
            }
            return true;
        }

        private static MessageDigest sha256() {
            try {
                return MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java platform has SHA-256", e);
            }
        }
    }
}
