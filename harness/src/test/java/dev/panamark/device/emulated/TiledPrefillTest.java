package dev.panamark.device.emulated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.result.Interval;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Rows;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tag;
import dev.panamark.result.Tags;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The built-in CUDA kernels of prefill, run on an emulated H100: right, and with the conflicts that one can work out. */
class TiledPrefillTest {
    private static Row row(String kernel, String... axes) {
        Row row = EmulatedRows.row(System.getenv(), kernel, axes);
        if (row.status() == Status.UNSUPPORTED) {
            Assumptions.abort(String.valueOf(row.reason())); // neither prebuilt nor is there a compiler
        }
        return row;
    }

    private static Metric metric(Row row, Tag tag) {
        assertEquals(Status.OK, row.status(), row::reason);
        return Rows.metric(row, tag);
    }

    private static double value(Row row, Tag tag) {
        Metric metric = metric(row, tag);
        assertTrue(metric.source() == Source.EMULATED || metric.source() == Source.COMPUTED, metric::toString);
        return Rows.value(row, tag);
    }

    /**
     * By hand: each of a block's 4 warps reads its lane's key of a tile in head_dim / 8 pieces of 16 bytes. Rows of keys
     * lie a multiple of 128 bytes apart, so the eight lanes of each of the four phases hit the same banks: 32 wavefronts
     * where 4 would do, 28 too many. A block of 32 queries sees the tiles of 32 keys up to its last query's diagonal.
     */
    private static long excess(int seq, int keys, int headDim, int heads) {
        long tiles = 0;
        for (int first = 0; first < seq; first += 32) {
            int last = Math.min(first + 32, seq) - 1;
            int end = Math.max(0, Math.min(keys, last + keys - seq + 1));
            tiles += (end + 31) / 32;
        }
        return tiles * heads * 4 * (headDim / 8) * 28;
    }

    @ParameterizedTest
    @CsvSource({"128, 0, 64", "100, 0, 64", "64, 0, 128", "33, 97, 64", "40, 8, 64"})
    void conflictsAreThoseOfTheHandCalculation(int seq, int kvLen, int headDim) {
        String[] axes = {"heads=2", "kv_heads=1", "seq=" + seq, "kv_len=" + kvLen, "head_dim=" + headDim};
        Row tiled = row("attention.prefill.tiled", axes);
        Row padded = row("attention.prefill.padded", axes);
        Row swizzled = row("attention.prefill.swizzled", axes);
        long expected = excess(seq, kvLen == 0 ? seq : kvLen, headDim, 2);
        assertTrue(expected > 0);
        assertEquals((double) expected, value(tiled, Tags.SHARED_CONFLICTS));
        assertEquals(0, value(padded, Tags.SHARED_CONFLICTS));
        assertEquals(0, value(swizzled, Tags.SHARED_CONFLICTS));
        assertEquals(value(padded, Tags.SHARED_WAVEFRONTS), value(tiled, Tags.SHARED_IDEAL));
        assertEquals(value(padded, Tags.SHARED_WAVEFRONTS), value(swizzled, Tags.SHARED_WAVEFRONTS));
        assertTrue(metric(tiled, Tags.SHARED_CONFLICTS).detail().get("lines") instanceof List<?> lines
                && lines.getFirst() instanceof Map<?, ?> worst
                && String.valueOf(worst.get("line")).matches(".*prefill_tiled\\.cu:97")
                && Objects.equals(worst.get("shared_conflicts"), expected));
        assertTrue(value(tiled, Tags.TIME_BOUND) > value(padded, Tags.TIME_BOUND));
        assertEquals(value(padded, Tags.TIME_BOUND), value(swizzled, Tags.TIME_BOUND));
    }

    /** 8 heads of 32 tiles are 256 blocks, whose conflicts grow with the tile. */
    @Test
    void someBlocksSayWhatAllWould() {
        Row some = EmulatedRows.sampled(
                System.getenv(), 64, "attention.prefill.tiled", "heads=8", "kv_heads=2", "seq=1024", "head_dim=64");
        Metric conflicts = metric(some, Tags.SHARED_CONFLICTS);
        Interval interval = Objects.requireNonNull(conflicts.ci95());
        long truth = excess(1024, 1024, 64, 8);
        assertTrue(interval.lo() <= truth && truth <= interval.hi(), () -> truth + ": " + conflicts);
        assertTrue(interval.hi() - interval.lo() < 0.2 * truth, conflicts::toString);
        assertEquals(Map.of("ran", 64L, "of", 256L), some.check().get("blocks"));
        assertTrue(some.flags().getLast().contains("64 of 256 blocks ran"), some.flags()::toString);
        assertTrue(some.flags().getFirst().contains("of what the blocks that ran wrote"), some.flags()::toString);
        // 64 blocks of 32 queries, each with 64 elements and a logarithm of its sum.
        assertEquals(64L * 32 * 65, some.check().get("elements"));
        assertTrue(String.valueOf(Rows.metric(some, Tags.TIME_BOUND).note()).contains("lower end"));
    }

    /** The second step of split-KV decode merges what all blocks of the first wrote. */
    @Test
    void severalStepsRunWhole() {
        String[] axes = {"batch=2", "heads=16", "kv_heads=4", "kv_len=256"};
        Row whole = row("attention.decode.split_kv", axes);
        Row some = EmulatedRows.sampled(System.getenv(), 16, "attention.decode.split_kv", axes);
        assertEquals(value(whole, Tags.EXECUTED_INSTRUCTIONS), value(some, Tags.EXECUTED_INSTRUCTIONS));
        assertTrue(some.flags().getLast().contains("several steps"), some.flags()::toString);
    }
}
