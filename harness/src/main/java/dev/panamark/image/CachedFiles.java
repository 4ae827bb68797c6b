package dev.panamark.image;

import dev.panamark.device.DeviceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Files of the program that compilers read. Several processes may write them at once. */
public final class CachedFiles {
    private CachedFiles() {}

    /**
     * Writes a file where it is not there yet.
     *
     * @param folder made when it is not there
     * @param name which no other contents have
     * @throws DeviceException when it cannot be written
     */
    public static Path write(Path folder, String name, byte[] bytes) {
        Path file = folder.resolve(name);
        try {
            if (!Files.isRegularFile(file)) {
                Path part = Files.createTempFile(Files.createDirectories(folder), name, ".part");
                Files.write(part, bytes);
                Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            throw new DeviceException(file + " cannot be written: " + e.getMessage(), e);
        }
        return file;
    }
}
