package dev.panamark.driver.codeobject;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Makes bundles as clang lays them out. */
final class Bundles {
    private Bundles() {}

    /** Code by its identity. */
    static byte[] of(List<Map.Entry<String, byte[]>> all) {
        int header = 32 + all.stream().mapToInt(e -> 24 + e.getKey().length()).sum();
        int size = header + all.stream().mapToInt(e -> e.getValue().length).sum();
        ByteBuffer file = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        file.put("__CLANG_OFFLOAD_BUNDLE__".getBytes(StandardCharsets.US_ASCII)).putLong(all.size());
        int at = header;
        for (Map.Entry<String, byte[]> entry : all) {
            file.putLong(at)
                    .putLong(entry.getValue().length)
                    .putLong(entry.getKey().length());
            file.put(entry.getKey().getBytes(StandardCharsets.US_ASCII));
            at += entry.getValue().length;
        }
        all.forEach(entry -> file.put(entry.getValue()));
        return file.array();
    }
}
