package dev.panamark.result;

import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.reference.Expectation;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Writes what a wrong kernel was given and gave, as {@code .npy} files (NumPy format 1.0) that {@code numpy.load}
 * reads. Types that NumPy lacks (bf16, fp8) are written as the unsigned words that hold them.
 */
public final class TensorDump {
    private static final int PREAMBLE = 10;

    private TensorDump() {}

    /**
     * Writes {@code in-NAME.npy}, {@code out-NAME.npy}, {@code again-NAME.npy} where a second pass gave something else, and {@code want-NAME.npy}: the whole right output, or float64
     * values at the row-major positions in {@code at-NAME.npy} where the reference computes a sample.
     *
     * @return the folder, below {@code folder}, named after the kernel and its problem
     * @throws ResultWriteException when it cannot be written
     */
    public static Path write(
            Path folder,
            Instance instance,
            Inputs inputs,
            Map<String, Tensor> outputs,
            Map<String, Tensor> again,
            List<Expectation> expected) {
        String problem = instance.problem().values().entrySet().stream()
                .map(e -> e.getKey() + e.getValue())
                .collect(Collectors.joining("-"))
                .replaceAll("[^A-Za-z0-9.-]", "_");
        Path own = folder.resolve(instance.kernel() + "-" + problem.substring(0, Math.min(120, problem.length())));
        try {
            Files.createDirectories(own);
            for (Map.Entry<String, Tensor> e : new TreeMap<>(inputs.tensors()).entrySet()) {
                tensor(own.resolve("in-" + e.getKey() + ".npy"), e.getValue());
            }
            for (Map.Entry<String, Tensor> e : outputs.entrySet()) {
                tensor(own.resolve("out-" + e.getKey() + ".npy"), e.getValue());
            }
            for (Map.Entry<String, Tensor> e : again.entrySet()) {
                Tensor first = java.util.Objects.requireNonNull(outputs.get(e.getKey()));
                if (first.data().mismatch(e.getValue().data()) >= 0) {
                    tensor(own.resolve("again-" + e.getKey() + ".npy"), e.getValue());
                }
            }
            for (Expectation e : expected) {
                if (e.whole().isPresent()) {
                    Tensor got = java.util.Objects.requireNonNull(outputs.get(e.output()));
                    MemorySegment all = Arena.ofAuto().allocate(got.data().byteSize(), 64);
                    whole(e.whole().get(), got.type().bytes(), all);
                    tensor(own.resolve("want-" + e.output() + ".npy"), new Tensor(got.type(), got.shape(), all));
                    continue;
                }
                MemorySegment want = MemorySegment.ofArray(e.want());
                npy(own.resolve("want-" + e.output() + ".npy"), "<f8", List.of((long) e.want().length), want);
                MemorySegment at = MemorySegment.ofArray(e.positions());
                npy(own.resolve("at-" + e.output() + ".npy"), "<i8", List.of((long) e.positions().length), at);
            }
            return own;
        } catch (IOException e) {
            throw FileTrouble.writing(own, e);
        }
    }

    private static void whole(Expectation.Whole whole, int bytes, MemorySegment all) {
        int chunk = 1 << 20;
        long elements = all.byteSize() / bytes;
        for (long from = 0; from < elements; from += chunk) {
            int count = (int) Math.min(chunk, elements - from);
            whole.bits(from, count, all.asSlice(from * bytes, (long) count * bytes));
        }
    }

    private static void tensor(Path file, Tensor t) throws IOException {
        npy(file, descr(t.type()), t.shape().dims(), t.data());
    }

    private static String descr(DataType type) {
        return switch (type) {
            case F64 -> "<f8";
            case F32 -> "<f4";
            case F16 -> "<f2";
            case I64 -> "<i8";
            case I32 -> "<i4";
            case I16 -> "<i2";
            case I8 -> "|i1";
            case U64 -> "<u8";
            case U32 -> "<u4";
            case BF16, U16 -> "<u2";
            case E4M3, E5M2, E4M3FNUZ, E5M2FNUZ, U8 -> "|u1";
        };
    }

    private static void npy(Path file, String descr, List<Long> dims, MemorySegment data) throws IOException {
        String shape = dims.stream().map(d -> d + ",").collect(Collectors.joining(" ", "(", ")"));
        String header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
        int padded = (PREAMBLE + header.length() + 1 + 63) / 64 * 64;
        header = header + " ".repeat(padded - PREAMBLE - header.length() - 1) + "\n";
        try (OutputStream out = Files.newOutputStream(file)) {
            out.write(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0});
            out.write(header.length() & 0xff);
            out.write(header.length() >>> 8);
            out.write(header.getBytes(StandardCharsets.US_ASCII));
            byte[] chunk = new byte[1 << 20];
            for (long at = 0; at < data.byteSize(); at += chunk.length) {
                int n = (int) Math.min(chunk.length, data.byteSize() - at);
                MemorySegment.copy(data, ValueLayout.JAVA_BYTE, at, chunk, 0, n);
                out.write(chunk, 0, n);
            }
        }
    }
}
