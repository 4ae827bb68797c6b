package dev.panamark.benchmark.scale;

import dev.panamark.result.ResultFile;
import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** Writes a result file larger than memory should hold at once: piece by piece, each as {@link ResultFile} writes it. */
final class LargeResult {
    private static final String ROWS = "\"rows\": [";
    private static final int ROWS_AT_ONCE = 1000;

    private LargeResult() {}

    /**
     * Writes it.
     *
     * @param rows how many
     * @param seed of the times
     */
    static void write(Path file, RowSource source, int rows, long seed) throws IOException {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            List<Row> piece = new ArrayList<>();
            boolean first = true;
            int written = 0;
            for (int problem = 0; written < rows; problem++) {
                List<Row> of = source.problem(problem, seed);
                piece.addAll(of.subList(0, Math.min(of.size(), rows - written)));
                written += Math.min(of.size(), rows - written);
                if (piece.size() >= ROWS_AT_ONCE || written == rows) {
                    String text = text(piece);
                    int from = text.indexOf(ROWS) + ROWS.length();
                    int to = text.lastIndexOf(']');
                    out.write((first ? text.substring(0, from) : ",").getBytes(StandardCharsets.UTF_8));
                    out.write(text.substring(from, to).stripTrailing().getBytes(StandardCharsets.UTF_8));
                    if (written == rows) {
                        out.write((" " + text.substring(to)).getBytes(StandardCharsets.UTF_8));
                    }
                    first = false;
                    piece.clear();
                }
            }
        }
    }

    private static String text(List<Row> rows) {
        SequencedMap<String, Object> device = new LinkedHashMap<>(Map.of("id", "cpu:0"));
        RunResult run = RunResult.started(
                        List.of("run"), Instant.EPOCH, new LinkedHashMap<>(), List.of(device), List.of(), 1)
                .withRows(rows)
                .withFinished(Instant.EPOCH.plusSeconds(1));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ResultFile.write(run, out);
        return out.toString(StandardCharsets.UTF_8);
    }
}
