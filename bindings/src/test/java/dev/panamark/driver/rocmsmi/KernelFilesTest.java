package dev.panamark.driver.rocmsmi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which calls are made is decided by files alone; that the library aborts on them was found by running it. */
class KernelFilesTest {
    private static final String FIRST = "0001:c1:00.0";

    @TempDir
    Path folder;

    private static String why(Optional<String> refusal) {
        return refusal.orElse("");
    }

    @Test
    void withoutCardsThereIsNoGpu() {
        assertEquals(
                folder.resolve("drm") + " is not there, so there is no AMD GPU",
                why(new KernelTree(folder).files().againstInit()));
    }

    @Test
    void everyNodeNeedsLinks() throws Exception {
        KernelTree tree = new KernelTree(folder).gpu(0, 1, 3);
        Files.createDirectories(tree.node(0).resolve("io_links"));
        assertEquals("", why(tree.files().againstInit()));
        Path second = tree.node(1);
        assertEquals(
                second + " has no io_links, without which the library aborts the process",
                why(tree.files().againstInit()));
    }

    @Test
    void powerNeedsSensors() throws Exception {
        KernelTree tree = new KernelTree(folder).gpu(0, 1, 3).gpu(1, 1, 3);
        Files.writeString(tree.device(1).resolve("hwmon/hwmon1/name"), "nvme\n");
        assertEquals("", why(tree.files().againstPower(FIRST)));
        assertTrue(why(tree.files().againstPower("0001:c1:01.0")).contains("no hwmon of 0001:c1:01.0"));
        assertTrue(why(tree.files().againstPower("0001:c1:02.0")).contains("no hwmon of 0001:c1:02.0"));
    }

    /** Debian's 5.2.3 was seen to abort on content revision 5, and to read 1 and 3. */
    @ParameterizedTest
    @CsvSource({
        "1, 1, false",
        "1, 2, false",
        "1, 3, false",
        "1, 0, true",
        "1, 4, true",
        "1, 5, true",
        "1, 8, true",
        "1, 255, true",
        "2, 2, true",
        "3, 0, true"
    })
    void oldLibrariesReadOldRevisionsOnly(int format, int content, boolean refused) throws Exception {
        KernelFiles files = new KernelTree(folder).gpu(0, format, content).files();
        assertEquals(refused, files.againstEnergy(FIRST, true).isPresent());
        assertEquals(Optional.empty(), files.againstEnergy(FIRST, false), "newer ones answer with a status");
        if (refused) {
            assertTrue(
                    why(files.againstEnergy(FIRST, true)).contains("is of revision " + format + "." + content + ", on"),
                    why(files.againstEnergy(FIRST, true)));
        }
    }

    @Test
    void energyNeedsMetrics() throws Exception {
        KernelTree tree = new KernelTree(folder).gpu(0, 1, 3);
        Path metrics = tree.device(0).resolve("gpu_metrics");
        Files.write(metrics, new byte[] {96, 0, 1});
        assertTrue(why(tree.files().againstEnergy(FIRST, false)).endsWith("gpu_metrics is shorter than its header"));
        Files.delete(metrics);
        assertTrue(why(tree.files().againstEnergy(FIRST, false)).contains("no gpu_metrics of " + FIRST));
    }
}
