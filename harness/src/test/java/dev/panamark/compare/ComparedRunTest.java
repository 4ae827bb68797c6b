package dev.panamark.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.result.Journal;
import dev.panamark.result.ResultFile;
import dev.panamark.result.ResultFileException;
import dev.panamark.result.RunResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ComparedRunTest {
    @TempDir
    Path dir;

    private static RunResult run() {
        return RunResult.started(List.of("run"), Instant.EPOCH, new LinkedHashMap<>(), List.of(), List.of(), 1);
    }

    @Test
    void tellsResultsFromJournals() throws IOException {
        Path result = dir.resolve("out.json");
        ResultFile.write(run(), result);
        Path line = Files.writeString(
                dir.resolve("line.json"), Files.readString(result).replaceAll("\\s+", " ") + "\n");
        Path journal = dir.resolve("run.journal");
        Journal.create(journal, run()).close();
        Files.writeString(journal, "{\"device\": \"cp", java.nio.file.StandardOpenOption.APPEND);
        assertEquals(run(), ComparedRun.read(result).run());
        assertEquals(run(), ComparedRun.read(line).run());
        ComparedRun.Both both = ComparedRun.read(result, journal);
        assertEquals(run(), both.base().run());
        assertEquals(run(), both.next().run());
        assertEquals(List.of(), both.base().remarks());
        assertTrue(
                both.next().remarks().getFirst().startsWith("journal: "),
                () -> both.next().remarks().toString());
    }

    @Test
    void saysWhatIsWrongWithTheFirstOfTwo() throws IOException {
        Path good = dir.resolve("good.json");
        ResultFile.write(run(), good);
        Path bad = Files.writeString(dir.resolve("bad.json"), "[]");
        Path gone = dir.resolve("gone.json");
        assertEquals(gone.toString(), refused(gone, bad).file());
        assertEquals(bad.toString(), refused(bad, gone).file());
        assertEquals(bad.toString(), refused(good, bad).file());
        assertEquals(gone.toString(), refused(good, gone).file());
    }

    private static ResultFileException refused(Path base, Path next) {
        return assertThrows(ResultFileException.class, () -> ComparedRun.read(base, next));
    }
}
