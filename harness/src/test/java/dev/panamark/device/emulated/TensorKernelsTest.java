package dev.panamark.device.emulated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.result.Row;
import dev.panamark.result.Rows;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kernels on emulated tensor cores: right, and with the conflicts and operations that one can work out. */
class TensorKernelsTest {
    private static Row row(String kernel, String... axes) {
        Row row = EmulatedRows.row(System.getenv(), kernel, axes);
        if (row.status() == Status.UNSUPPORTED) {
            Assumptions.abort(String.valueOf(row.reason())); // neither prebuilt nor is there a compiler
        }
        assertEquals(Status.OK, row.status(), row::reason);
        return row;
    }

    /**
     * By hand: where rows lie one after the other, 2 head_dim bytes apart, the eight rows of a matrix hit
     * {@code 8 / gcd(head_dim / 8, 8)} different groups of four banks, so that many wavefronts are too many: 7 of 8 where a
     * row is a multiple of 128 bytes. A warp loads head_dim / 4 matrices of queries and, of each tile of the block, head_dim
     * keys / 32 of keys and values; a block of 64 queries sees the tiles up to its last query's diagonal.
     */
    private static long excess(int seq, int keys, int headDim, int heads) {
        int tile = headDim <= 80 ? 64 : headDim <= 128 ? 32 : 16;
        int places = switch (headDim) {
            case 80 -> 4;
            case 96 -> 2;
            default -> 1;
        };
        long matrices = 0;
        for (int first = 0; first < seq; first += 64) {
            int last = Math.min(first + 64, seq) - 1;
            int end = Math.max(0, Math.min(keys, last + keys - seq + 1));
            matrices += headDim / 4 + (long) (end + tile - 1) / tile * headDim * tile / 32;
        }
        return matrices * heads * 4 * (8 / places - 1);
    }

    @ParameterizedTest
    @CsvSource({"128, 0, 64", "100, 0, 80", "70, 0, 96", "65, 0, 128", "33, 97, 64", "130, 40, 256"})
    void conflictsAreThoseOfTheHandCalculation(int seq, int kvLen, int headDim) {
        String[] axes = {"heads=2", "kv_heads=1", "seq=" + seq, "kv_len=" + kvLen, "head_dim=" + headDim};
        Row plain = row("attention.prefill.mma_unswizzled", axes);
        Row swizzled = row("attention.prefill.mma", axes);
        assertEquals(
                (double) excess(seq, kvLen == 0 ? seq : kvLen, headDim, 2), Rows.value(plain, Tags.SHARED_CONFLICTS));
        assertEquals(0, Rows.value(swizzled, Tags.SHARED_CONFLICTS));
        assertEquals(Rows.value(plain, Tags.SHARED_IDEAL), Rows.value(swizzled, Tags.SHARED_WAVEFRONTS));
        assertTrue(Rows.value(plain, Tags.TIME_BOUND) >= Rows.value(swizzled, Tags.TIME_BOUND));
    }

    /** By layout (tiles.cuh, decode_mma.cu, w4a16_gemm.cu, reference.cu) no two lanes of a phase hit a bank twice. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "attention.decode.mma | batch=1 heads=8 kv_heads=2 kv_len=100 head_dim=64 splits=1",
                "attention.decode.mma | batch=1 heads=8 kv_heads=2 kv_len=100 head_dim=80 splits=1",
                "attention.decode.mma | batch=1 heads=8 kv_heads=2 kv_len=100 head_dim=96 splits=1",
                "attention.decode.mma | batch=1 heads=8 kv_heads=2 kv_len=100 head_dim=128 splits=1",
                "attention.decode.mma | batch=1 heads=8 kv_heads=2 kv_len=100 head_dim=256 splits=1",
                "quant.w4a16_gemm.mma | rows=40 in=256 out=128",
                "gemm.reference | m=128 n=128 k=64"
            })
    void othersOnTensorCoresHaveNoConflicts(String kernel, String axes) {
        Row row = row(kernel, axes.split(" ", -1));
        assertEquals(0, Rows.value(row, Tags.SHARED_CONFLICTS));
        assertTrue(Rows.value(row, Tags.SHARED_WAVEFRONTS) > 0);
    }

    /**
     * One block of two key heads, each with 4 queries that fill 16 rows: for 64 keys, 4 warps with one turn each, of
     * head_dim / 16 times 2 products for scores and head_dim / 8 for values.
     */
    @Test
    void rowsOfAMatrixThatNoQueryFillsAreCountedToo() {
        Row row =
                row("attention.decode.mma", "batch=1", "heads=8", "kv_heads=2", "kv_len=64", "head_dim=64", "splits=1");
        assertTrue(
                Rows.metric(row, Tags.EXECUTED_FLOPS).detail().get("by_class") instanceof Map<?, ?> classes
                        && Long.valueOf(2L * 4 * (4 * 2 + 8) * 2 * 16 * 8 * 16).equals(classes.get("tensor_f16")),
                () -> String.valueOf(Rows.metric(row, Tags.EXECUTED_FLOPS)));
    }

    /** 2 x 16 x 8 x 16 operations a product: queries with 64 keys, and weights with their values, of one tile of one block. */
    @ParameterizedTest
    @CsvSource({"f16", "bf16"})
    void operationsOfTensorCoresAreCountedByType(String dtype) {
        Row row = row("attention.prefill.mma", "heads=1", "kv_heads=1", "seq=64", "head_dim=64", "dtype=" + dtype);
        assertTrue(
                Rows.metric(row, Tags.EXECUTED_FLOPS).detail().get("by_class") instanceof Map<?, ?> classes
                        && Long.valueOf(2L * 2 * 64 * 64 * 64).equals(classes.get("tensor_" + dtype)),
                () -> String.valueOf(Rows.metric(row, Tags.EXECUTED_FLOPS)));
    }
}
