package dev.panamark.device.hip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.DeviceException;
import dev.panamark.device.Profile;
import dev.panamark.device.ProfilerProgram;
import dev.panamark.device.ProfilerProgram.Launches;
import dev.panamark.device.ProfilerProgram.Run;
import dev.panamark.result.Tags;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reports with the columns that rocprofv3 of rocprofiler-sdk 1.0.0 writes, made by hand; no AMD GPU wrote one of these. */
class RocprofTest {
    private static final String HEAD = """
            "Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Id","Kernel_Name",\
            "Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Counter_Name",\
            "Counter_Value","Start_Timestamp","End_Timestamp"
            """;

    /** Two steps, once before and once counted. */
    private static final Launches LAUNCHES = new Launches(List.of("split", "merge"), 2, 2, false);

    @TempDir
    Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private ProfilerProgram program;

    @BeforeEach
    void find() throws Exception {
        Path rocprof = Files.writeString(folder.resolve("rocprofv3"), "#!/bin/sh\n");
        assertTrue(rocprof.toFile().setExecutable(true));
        program = Rocprof.find(Map.of("PATH", folder.toString())).orElseThrow(IllegalStateException::new);
    }

    private static String line(int dispatch, String kernel, String counter, double value, long from, long to) {
        return "%d,%d,\"Agent 4\",1,77,77,8192,11,\"%s\",256,0,0,32,0,32,\"%s\",%s,%d,%d%n"
                .formatted(dispatch, dispatch, kernel, counter, value, from, to);
    }

    /** The counters of a run: of the launches before 1 and 3, then of the two that are counted, which take 3 and 1 us. */
    private Run run(int number, Map<RocprofCounter, double[]> counted) throws Exception {
        Path report = Files.createDirectories(folder.resolve("run" + number).resolve("host"));
        StringBuilder text = new StringBuilder(HEAD);
        counted.forEach((counter, values) -> text.append(line(1, "split", counter.metric(), 1e9, 0, 9000))
                .append(line(2, "merge", counter.metric(), 1e9, 0, 9000))
                .append(line(3, "other", counter.metric(), 1e9, 0, 9000))
                .append(line(5, "merge.kd", counter.metric(), values[1], 20_000, 21_000))
                .append(line(4, "split", counter.metric(), values[0], 10_000, 13_000)));
        Files.writeString(report.resolve("77_counter_collection.csv"), text);
        return new Run(folder.resolve("run" + number), Optional.empty());
    }

    private List<Run> runs() throws Exception {
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < program.runs(); i++) {
            Map<RocprofCounter, double[]> counted = new EnumMap<>(RocprofCounter.class);
            for (RocprofCounter counter : RocprofCounter.ofRun(i)) {
                counted.put(counter, counter.isPercentage() ? new double[] {40, 20} : new double[] {30, 10});
            }
            runs.add(run(i, counted));
        }
        return runs;
    }

    private static Profile.Count count(Profile profile, String path) {
        return Objects.requireNonNull(profile.counts().get(path), path)
                .orElseThrow(why -> new IllegalStateException(path + ": " + why));
    }

    private static double value(Profile profile, String path) {
        return count(profile, path).value();
    }

    private static String reason(Profile profile, String path) {
        return String.valueOf(assertThrows(IllegalStateException.class, () -> count(profile, path))
                .getMessage());
    }

    /** Shares: (3 * 40 + 1 * 20) / 4 = 35 %; sums: 40. */
    @Test
    void countersBecomeMetrics() throws Exception {
        Profile profile = program.read(runs(), LAUNCHES);
        assertEquals(0.35, value(profile, "occupancy/achieved"), 1e-12);
        assertEquals(0.35, value(profile, "shared/conflict_cycles_share"), 1e-12);
        assertEquals(0.35, value(profile, "tensor/active"), 1e-12);
        assertEquals(40, value(profile, "shared/requests"));
        assertEquals(40 * 1024, value(profile, "dram/read"));
        assertEquals(0.5, value(profile, "l2/hit_rate"));
        assertEquals(512 * 40.0, count(profile, "tensor/active").parts().get("flops_bf16"));
        assertTrue(reason(profile, "shared/conflicts").contains("AMD counts cycles"), profile::toString);
        profile.counts().keySet().forEach(path -> assertTrue(Tags.of(path).isPresent(), path));
    }

    @Test
    void aCounterThatTheChipDoesNotKnowCostsItsGroup() throws Exception {
        List<Run> runs = runs();
        int f8 = 4;
        runs.set(f8, new Run(folder.resolve("none"), Optional.of("Unable to find counter SQ_INSTS_VALU_MFMA_MOPS_F8")));
        int l2 = program.runs() - 1;
        runs.set(l2, new Run(folder.resolve("none"), Optional.empty()));
        Profile profile = program.read(runs, LAUNCHES);
        assertEquals(0.35, value(profile, "tensor/active"), 1e-12);
        String none = reason(profile, "l2/hit_rate");
        assertTrue(none.contains("rocprofv3 left no report of counters: there is no folder none"), none);
    }

    @Test
    void withoutAnyReportThereIsAReason() {
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < program.runs(); i++) {
            runs.add(new Run(folder.resolve("none"), Optional.of("the worker ended with status 1")));
        }
        DeviceException none = assertThrows(DeviceException.class, () -> program.read(runs, LAUNCHES));
        assertEquals("the worker ended with status 1", none.getMessage());
    }

    @Test
    void launchesThatAreNotThoseAskedForAreNotAdded() throws Exception {
        Profile profile = program.read(runs(), LAUNCHES);
        assertEquals(program.runs(), profile.passes().orElseThrow());
        DeviceException none = assertThrows(
                DeviceException.class,
                () -> program.read(runs(), new Launches(List.of("split", "merge"), 2, 3, false)));
        assertTrue(
                String.valueOf(none.getMessage()).contains("tells of 2 launches and not of the 3 of [split, merge]"),
                none::getMessage);
    }

    @Test
    void eachRunAsksForItsCounters() {
        List<String> words = program.before(LAUNCHES, 0, Path.of("/report"));
        assertEquals(
                List.of("--pmc", "LDSBankConflict", "SQ_INSTS_LDS", "--output-format", "csv", "-d", "/report", "--"),
                words.subList(1, words.size()));
    }
}
