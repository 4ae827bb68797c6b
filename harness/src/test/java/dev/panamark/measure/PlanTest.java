package dev.panamark.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.kernel.AxisOverride;
import dev.panamark.kernel.Kernel;
import dev.panamark.kernel.KernelFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanTest {
    private static final List<Plan.Target> TWO =
            List.of(new Plan.Target("cpu:0", "cpu"), new Plan.Target("cpu:1", "cpu"));

    @TempDir
    Path folder;

    private List<Kernel> kernels = List.of();

    @BeforeEach
    void kernels() {
        KernelFiles files = new KernelFiles(folder);
        kernels = List.of(
                files.kernel("plain", KernelFiles.doubling("plain")),
                files.kernel("wide", KernelFiles.doubling("wide").replace("n: [24]", "n: [8, 16]\n  width: [1, 2]")),
                files.kernel("top", KernelFiles.doubling("top").replace("purpose:", "ceiling: flops\npurpose:")));
    }

    private static List<String> shown(Plan plan) {
        return plan.items().stream()
                .map(i -> i.device() + " " + i.kernel().name() + " " + i.problem())
                .toList();
    }

    private static List<AxisOverride> overrides(String... texts) {
        return List.of(texts).stream().map(AxisOverride::parse).toList();
    }

    @Test
    void aDeviceCanBeWithoutCeilings() {
        List<Plan.Target> targets = List.of(new Plan.Target("cpu:0", "cpu"), new Plan.Target("cpu:1", "cpu", false));
        assertEquals(
                List.of("cpu:0 mine.top n=24", "cpu:0 mine.plain n=24", "cpu:1 mine.plain n=24"),
                shown(Plan.of(targets, List.of(kernels.get(0), kernels.get(2)), List.of(), Optional.empty())));
    }

    @Test
    void deviceByDeviceCeilingsFirstThenAsGiven() {
        assertEquals(
                List.of(
                        "cpu:0 mine.top n=24",
                        "cpu:0 mine.plain n=24",
                        "cpu:0 mine.wide n=8 width=1",
                        "cpu:0 mine.wide n=8 width=2",
                        "cpu:0 mine.wide n=16 width=1",
                        "cpu:0 mine.wide n=16 width=2",
                        "cpu:1 mine.top n=24",
                        "cpu:1 mine.plain n=24",
                        "cpu:1 mine.wide n=8 width=1",
                        "cpu:1 mine.wide n=8 width=2",
                        "cpu:1 mine.wide n=16 width=1",
                        "cpu:1 mine.wide n=16 width=2"),
                shown(Plan.of(TWO, kernels, List.of(), Optional.empty())));
    }

    /** Variants of one problem stand together: those of one family whose common axes have the same values. */
    @Test
    void variantsOfOneProblemAreMeasuredTogether() {
        KernelFiles files = new KernelFiles(folder);
        List<Kernel> more = new ArrayList<>(kernels);
        more.add(files.kernel("pair.a", KernelFiles.doubling("pair.a").replace("n: [24]", "n: [8, 16]")));
        more.add(files.kernel(
                "pair.b", KernelFiles.doubling("pair.b").replace("n: [24]", "n: [8, 16]\n  width: [1, 2]")));
        assertEquals(
                List.of(
                        List.of("top n=24"),
                        List.of("plain n=24"),
                        List.of("wide n=8 width=1", "wide n=8 width=2"),
                        List.of("wide n=16 width=1", "wide n=16 width=2"),
                        List.of("pair.a n=8", "pair.b n=8 width=1", "pair.b n=8 width=2"),
                        List.of("pair.a n=16", "pair.b n=16 width=1", "pair.b n=16 width=2")),
                Plan.of(TWO.subList(0, 1), more, List.of(), Optional.empty()).groups().stream()
                        .map(g -> g.stream()
                                .map(i -> i.kernel().name().substring("mine.".length()) + " " + i.problem())
                                .toList())
                        .toList());
    }

    @Test
    void anOverrideAppliesToTheKernelsThatHaveItsAxis() {
        assertEquals(
                List.of("cpu:0 mine.top n=5", "cpu:0 mine.plain n=5", "cpu:0 mine.wide n=5 width=7"),
                shown(Plan.of(TWO.subList(0, 1), kernels, overrides("n=5", "width=7"), Optional.empty())));
    }

    @Test
    void anAxisThatNoKernelHasIsBadInputAndTheOthersAreNamed() {
        KernelFileException e = assertThrows(
                KernelFileException.class, () -> Plan.of(TWO, kernels, overrides("n=5", "with=7"), Optional.empty()));
        String message = String.valueOf(e.getMessage());
        assertTrue(message.startsWith("-a with=7: "), message);
        assertTrue(message.endsWith("no selected kernel has an axis 'with'; they have n, width"), message);
    }
}
