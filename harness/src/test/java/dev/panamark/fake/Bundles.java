package dev.panamark.fake;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Offload bundles, laid out as clang's "Bundled Binary File Layout" has it. */
final class Bundles {
    private static final byte[] MAGIC = "__CLANG_OFFLOAD_BUNDLE__".getBytes(StandardCharsets.US_ASCII);
    private static final int ENTRY = 24;

    private Bundles() {}

    /** One of code by target. */
    static byte[] of(Map<String, byte[]> code) {
        List<byte[]> ids = new ArrayList<>();
        int head = MAGIC.length + Long.BYTES;
        List<byte[]> parts = new ArrayList<>();
        for (Map.Entry<String, byte[]> e : new TreeMap<>(code).entrySet()) {
            byte[] id = ("hipv4-amdgcn-amd-amdhsa--" + e.getKey()).getBytes(StandardCharsets.US_ASCII);
            ids.add(id);
            parts.add(e.getValue());
            head += ENTRY + id.length;
        }
        int first = head + 4095 & ~4095;
        ByteBuffer table = ByteBuffer.allocate(first).order(ByteOrder.LITTLE_ENDIAN);
        table.put(MAGIC).putLong(parts.size());
        ByteArrayOutputStream bodies = new ByteArrayOutputStream();
        for (int i = 0; i < parts.size(); i++) {
            table.putLong(first + bodies.size()).putLong(parts.get(i).length).putLong(ids.get(i).length);
            table.put(ids.get(i));
            bodies.writeBytes(parts.get(i));
            bodies.writeBytes(new byte[-parts.get(i).length & 4095]);
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(table.array());
        all.writeBytes(bodies.toByteArray());
        return all.toByteArray();
    }
}
