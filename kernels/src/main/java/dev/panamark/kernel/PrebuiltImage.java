package dev.panamark.kernel;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * PTX that comes with the program, so that a machine without a CUDA toolkit runs the built-in kernels.
 *
 * @param source path below the built-in kernels' root
 * @param sourceSha256 of the source and what it includes: {@link SourceClosure#sha256}
 * @param options that it was compiled with, as the kernel file gives them
 * @param arch the least architecture that runs it, {@code sm_80}
 * @param compiler release and build of nvcc
 * @param file path below the prebuilt images' root
 * @param sha256 of the text, hex
 * @param ptx version that the text asks for
 * @param cuda the first release of CUDA whose driver takes it
 * @param driver the first Linux driver of that release, where known
 */
public record PrebuiltImage(
        String source,
        String sourceSha256,
        List<String> options,
        String arch,
        String compiler,
        String file,
        String sha256,
        String ptx,
        String cuda,
        Optional<String> driver) {
    /** Copies. */
    public PrebuiltImage {
        options = List.copyOf(options);
    }

    /**
     * The text.
     *
     * @throws KernelFileException where it is missing from the program or is not what the index says
     */
    public byte[] bytes() {
        String name = PrebuiltImages.ROOT + "/" + file;
        try (InputStream in = PrebuiltImage.class.getClassLoader().getResourceAsStream(name)) {
            if (in == null) {
                throw new KernelFileException(name, 0, "", "is missing from the program; build it again");
            }
            byte[] bytes = in.readAllBytes();
            String found = sha256(bytes);
            if (!found.equals(sha256)) {
                throw new KernelFileException(
                        name, 0, "", "has sha256 " + found + ", expected " + sha256 + "; " + PrebuiltImages.REMEDY);
            }
            return bytes;
        } catch (IOException e) {
            throw new KernelFileException(name, 0, "", "cannot be read from the program: " + YamlFile.reason(e));
        }
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
