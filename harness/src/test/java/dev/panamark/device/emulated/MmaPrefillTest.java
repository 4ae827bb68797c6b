package dev.panamark.device.emulated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.result.Row;
import dev.panamark.result.Rows;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Prefill on emulated tensor cores: right, and with the conflicts that one can work out. */
class MmaPrefillTest {
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
