package dev.panamark.driver.host;

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

/**
 * Shared objects by the hash of what they were made from.
 *
 * <p>{@code KEY.key} holds the hash of an object, {@code HASH.so} the object. Both appear by an atomic rename, the
 * object first, so readers in other processes see either nothing or something whole, whoever wins; and an object that
 * is damaged is noticed, because its name is its hash.
 *
 * @param folder made when it is not there
 */
record CompileCache(Path folder) {

    /** The object of this key, if it is there and undamaged. */
    Optional<Stored> find(String key) throws IOException {
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
    Path scratch() throws IOException {
        Files.createDirectories(folder);
        sweep();
        return folder.resolve("tmp-" + UUID.randomUUID() + ".so");
    }

    /** Keeps what the compiler wrote. */
    Stored store(String key, Path scratch) throws IOException {
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
        return folder.resolve(hash + ".so");
    }

    /** An object in the cache. */
    record Stored(Path file, String sha256) {}
}
