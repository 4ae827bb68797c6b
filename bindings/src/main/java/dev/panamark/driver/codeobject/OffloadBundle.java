package dev.panamark.driver.codeobject;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Code for several targets in one file, as clang makes it unless it is told {@code --no-gpu-bundle-output} ("Clang Offload
 * Bundler", "Bundled Binary File Layout").
 *
 * @param entries in the order of the file
 */
public record OffloadBundle(List<Entry> entries) {
    private static final byte[] MAGIC = "__CLANG_OFFLOAD_BUNDLE__".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] COMPRESSED = "CCOB".getBytes(StandardCharsets.US_ASCII);

    /** Offset, size and length of the identity. */
    private static final int ENTRY_BYTES = 24;

    private static final String TRIPLE = "-amdgcn-amd-amdhsa--";

    /**
     * Code for one target.
     *
     * @param id {@code hipv4-amdgcn-amd-amdhsa--gfx942}, of the host {@code host-x86_64-unknown-linux-gnu-}
     * @param offset of its first byte in the file
     * @param size bytes; 0 for the host's, which is elsewhere
     */
    public record Entry(String id, int offset, int size) {
        /** What it was compiled for, {@code gfx90a:xnack-}; empty where it is for no GPU of AMD's. */
        public String target() {
            int at = id.indexOf(TRIPLE);
            return at < 0 ? "" : id.substring(at + TRIPLE.length());
        }
    }

    /** Copies the entries. */
    public OffloadBundle {
        entries = List.copyOf(entries);
    }

    /** Whether bytes begin as a bundle does. */
    public static boolean isBundle(byte[] bytes) {
        return begins(bytes, MAGIC) || begins(bytes, COMPRESSED);
    }

    /**
     * Reads where its entries lie.
     *
     * @throws CodeObjectException where the bytes are no bundle, compressed, or damaged
     */
    public static OffloadBundle read(byte[] bytes) {
        if (begins(bytes, COMPRESSED)) {
            throw new CodeObjectException(
                    "the bundle is compressed; make it with --no-offload-compress, or without a bundle (--no-gpu-bundle-output)");
        }
        if (!begins(bytes, MAGIC)) {
            throw new CodeObjectException("no bundle: expected it to begin with __CLANG_OFFLOAD_BUNDLE__");
        }
        try {
            ByteBuffer file =
                    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).position(MAGIC.length);
            long count = file.getLong();
            if (count < 0 || count > file.remaining() / ENTRY_BYTES) {
                throw new CodeObjectException("the bundle is damaged: " + Long.toUnsignedString(count)
                        + " entries do not fit its " + bytes.length + " bytes");
            }
            List<Entry> entries = new ArrayList<>();
            for (long i = 0; i < count; i++) {
                entries.add(entry(file));
            }
            return new OffloadBundle(entries);
        } catch (RuntimeException e) {
            if (e instanceof CodeObjectException known) {
                throw known;
            }
            throw new CodeObjectException("the bundle is damaged or truncated at " + bytes.length + " bytes", e);
        }
    }

    private static Entry entry(ByteBuffer file) {
        int offset = Math.toIntExact(file.getLong());
        int size = Math.toIntExact(file.getLong());
        int length = Math.toIntExact(file.getLong());
        if (offset < 0 || size < 0 || length < 0 || length > file.remaining() || size > file.limit() - offset) {
            throw new IndexOutOfBoundsException("an entry's bounds");
        }
        byte[] id = new byte[length];
        file.get(id);
        return new Entry(new String(id, StandardCharsets.US_ASCII), offset, size);
    }

    /**
     * The code of the bundle that a device takes: for its processor, with each feature that the code names as the device has
     * it.
     *
     * @param bytes that the bundle was read from
     * @param target of the device, {@code gfx942:sramecc+:xnack-}
     */
    public Optional<byte[]> code(byte[] bytes, String target) {
        List<String> of = List.of(target.split(":"));
        return entries.stream()
                .filter(e -> takes(of, e.target()))
                .findFirst()
                .map(e -> Arrays.copyOfRange(bytes, e.offset(), e.offset() + e.size()));
    }

    private static boolean takes(List<String> device, String code) {
        List<String> words = List.of(code.split(":"));
        return words.getFirst().equals(device.getFirst()) && device.containsAll(words);
    }

    private static boolean begins(byte[] bytes, byte[] with) {
        return bytes.length >= with.length && Arrays.equals(bytes, 0, with.length, with, 0, with.length);
    }
}
