package dev.panamark.kernel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * The hash of a kernel file, its images and what these include. Made when it is first asked for, as most kernels of a
 * catalogue are never measured; the same from then on. Safe for several threads.
 */
final class SourceHash {
    private final Field field;
    private final byte[] yaml;
    private final SequencedMap<String, List<ImageSpec>> images;
    private @Nullable String sha256;

    /** {@code field} names the images in the kernel file. */
    SourceHash(Field field, byte[] yaml, SequencedMap<String, List<ImageSpec>> images) {
        this.field = field;
        this.yaml = yaml;
        this.images = images;
    }

    /**
     * In hex.
     *
     * @throws KernelFileException where a file can no longer be read
     */
    synchronized String sha256() {
        String known = sha256;
        if (known == null) {
            known = computed();
            sha256 = known;
        }
        return known;
    }

    private String computed() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(yaml);
            for (List<ImageSpec> choices : images.values()) {
                for (ImageSpec image : choices) {
                    digest.update(image.closure().getBytes(StandardCharsets.US_ASCII));
                }
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (IOException e) {
            throw field.fault("an image cannot be read: " + YamlFile.reason(e));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
