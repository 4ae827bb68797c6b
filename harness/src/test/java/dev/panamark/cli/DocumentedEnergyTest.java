package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.MeterInfo;
import dev.panamark.report.EnergyOpenMetrics;
import dev.panamark.report.EnergyTable;
import dev.panamark.telemetry.EnergyMode;
import dev.panamark.telemetry.EnergyRuns;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page on energy shows what the program prints and takes. */
class DocumentedEnergyTest {
    private static String page() throws Exception {
        return Files.readString(Path.of("../docs/energy.md"));
    }

    @Test
    void theTableIsWhatIsPrinted() throws Exception {
        Matcher m = Pattern.compile("```\n(make -j8 .*?)```", Pattern.DOTALL).matcher(page());
        assertTrue(m.find(), "docs/energy.md shows a table");
        assertEquals(EnergyTable.render(EnergyRuns.server(), 120, false), m.group(1));
    }

    /** Every command line of the page, and of the command's own examples, is one that the program takes. */
    @ParameterizedTest
    @ValueSource(strings = {"../docs/energy.md", "../README.md"})
    void everyCommandIsValid(String document) throws Exception {
        List<String> commands = Files.readString(Path.of(document))
                .lines()
                .filter(l -> l.startsWith("    scripts/panamark energy") || l.startsWith("    scripts/panamark doctor"))
                .toList();
        assertTrue(!commands.isEmpty(), document);
        for (String command : commands) {
            takes(command.strip().substring("scripts/panamark ".length()));
        }
        String help = new Session(Path.of("unused")).run("energy", "--help").out();
        List<String> examples = help.lines()
                .filter(l -> l.startsWith("  panamark energy "))
                .map(l -> l.strip().substring("panamark ".length()))
                .toList();
        assertEquals(3, examples.size(), help);
        examples.forEach(DocumentedEnergyTest::takes);
    }

    private static void takes(String command) {
        String[] args = command.replaceFirst(" +#.*", "").split(" +", -1);
        assertTrue(
                Main.commandLine(new Surroundings(Map.of(), Path.of("unused")))
                        .parseArgs(args)
                        .hasSubcommand(),
                command);
    }

    @Test
    void everyModeScopeAndOptionIsExplained() throws Exception {
        String page = page();
        for (EnergyMode mode : EnergyMode.values()) {
            assertTrue(page.contains("| `" + mode.name().toLowerCase(Locale.ROOT) + "` |"), mode.name());
        }
        for (MeterInfo.Scope scope : List.of(
                MeterInfo.Scope.PACKAGE,
                MeterInfo.Scope.MEMORY,
                MeterInfo.Scope.CORES,
                MeterInfo.Scope.UNCORE,
                MeterInfo.Scope.PLATFORM)) {
            assertTrue(page.contains(scope.tag()), scope.tag());
        }
        for (String option : List.of("--json", "--csv", "--openmetrics", "--samples", "--duration")) {
            assertTrue(page.contains("`" + option), option);
        }
        String metrics = EnergyOpenMetrics.render(EnergyRuns.partly());
        for (String name :
                List.of("panamark_energy_joules_total", "panamark_power_watts", "panamark_meter_missing_info")) {
            assertTrue(page.contains("`" + name + "`") && metrics.contains(name), name);
        }
        assertTrue(Files.exists(Path.of(
                "..",
                Arrays.stream(page.split("`", -1))
                        .filter(w -> w.endsWith("energy-1.schema.json"))
                        .findFirst()
                        .orElseThrow())));
    }
}
