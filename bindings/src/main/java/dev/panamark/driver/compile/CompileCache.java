package dev.panamark.driver.compile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What compilers made, by the hash of what they made it from.
 *
 * <p>{@code KEY.key} holds the hash of an object, {@code HASH.so} the object. Both appear by an atomic rename, the
 * object first, so readers in other processes see either nothing or something whole, whoever wins; and an object that
 * is damaged is noticed, because its name is its hash.
 *
 * @param folder made when it is not there
 * @param ending of the objects' names, with the dot
 */
public record CompileCache(Path folder, String ending) {
    /** Lets a compiler write a file. */
    @FunctionalInterface
    public interface Maker {
        /** Writes the object to {@code scratch}. */
        void make(Path scratch) throws IOException, InterruptedException;
    }

    /**
     * The object of this key: from the folder where it is there and undamaged, otherwise made and kept.
     *
     * @param key hex
     * @param file the source, which must not change meanwhile
     * @param maker makes it where it must be made
     * @throws CompileException where the folder cannot be written, or the source changed
     */
    public Stored get(String key, SourceFile file, Maker maker) throws InterruptedException {
        Stored stored = found(key);
        return stored != null ? stored : make(key, file, maker);
    }

    /** The object of this key, made anew whether it is there or not; as {@link #get} otherwise. */
    public Stored make(String key, SourceFile file, Maker maker) throws InterruptedException {
        try {
            Path scratch = scratch();
            try {
                maker.make(scratch);
                if (!SourceFile.read(file.path(), file.language()).sha256().equals(file.sha256())) {
                    throw new CompileException(file.path() + " changed while it was compiled; run again");
                }
                return store(key, scratch);
            } finally {
                Files.deleteIfExists(scratch);
            }
        } catch (IOException e) {
            throw new CompileException(
                    "the cache folder " + folder + " cannot be written (" + e
                            + "); choose one that can be, or make room",
                    e);
        }
    }

    private @Nullable Stored found(String key) {
        try {
            return find(key).orElse(null);
        } catch (IOException e) {
            return null; // an unreadable object is replaced; if that fails too, storing says why
        }
    }

    /** The object of this key, if it is there and undamaged. */
    private Optional<Stored> find(String key) throws IOException {
        Path keyFile = folder.resolve(key + ".key");
        if (!Files.isRegularFile(keyFile) || Files.size(keyFile) != 64) {
            return Optional.empty();
        }
        String hash = new String(Files.readAllBytes(keyFile), StandardCharsets.ISO_8859_1);
        if (!hash.matches("[0-9a-f]{64}")) {
            return Optional.empty();
        }
        Path object = object(hash);
        if (!Files.isRegularFile(object) || !Sha256.of(object).equals(hash)) {
            return Optional.empty();
        }
        return Optional.of(new Stored(object, hash));
    }

    /** A name in the folder that nobody else uses, for a compiler to write to. */
    private Path scratch() throws IOException {
        Files.createDirectories(folder);
        sweep();
        return folder.resolve("tmp-" + UUID.randomUUID() + ending);
    }

    /** Keeps what the compiler wrote. */
    private Stored store(String key, Path scratch) throws IOException {
        String hash = Sha256.of(scratch);
        Path object = object(hash);
        Files.move(scratch, object, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        Path temporary = folder.resolve("tmp-" + UUID.randomUUID() + ".key");
        Files.writeString(temporary, hash);
        Files.move(
                temporary,
                folder.resolve(key + ".key"),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
        return new Stored(object, hash);
    }

    /** What killed processes left behind. */
    private void sweep() throws IOException {
        Instant old = Instant.now().minus(1, ChronoUnit.DAYS);
        try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(folder, "tmp-*")) {
            for (Path leftover : leftovers) {
                deleteIfBefore(leftover, old);
            }
        }
    }

    private static void deleteIfBefore(Path leftover, Instant old) {
        try {
            if (Files.getLastModifiedTime(leftover).toInstant().isBefore(old)) {
                Files.deleteIfExists(leftover);
            }
        } catch (IOException e) {
            // Another process swept it first, or it is not ours to delete; either way it does no harm.
        }
    }

    private Path object(String hash) {
        return folder.resolve(hash + ending);
    }

    /**
     * An object in the cache.
     *
     * @param file its name is its hash
     * @param sha256 of its bytes, hex
     */
    public record Stored(Path file, String sha256) {}
}
