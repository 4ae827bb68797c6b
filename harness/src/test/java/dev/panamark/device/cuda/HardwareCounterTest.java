package dev.panamark.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.panamark.driver.cupti.Cupti;
import dev.panamark.driver.cupti.CuptiHost;
import dev.panamark.ffi.Availability;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table of counters against NVIDIA's own library, which knows its chips without having one. */
class HardwareCounterTest {

    private static Cupti cupti() {
        Availability<Cupti> found = Cupti.find(System.getenv());
        assumeTrue(
                found instanceof Availability.Available<Cupti>,
                () -> "no CUPTI here: " + ((Availability.Unavailable<Cupti>) found).text());
        return found.orElseThrow(IllegalStateException::new);
    }

    /** Passes are those that CUPTI 13.0 plans for the whole table. */
    @ParameterizedTest
    @CsvSource({"GH100, 12", "GA100, 11", "AD102, 12", "GB100, 11"})
    void everyCounterIsThereOrMarkedAbsent(String chip, int passes) {
        Cupti cupti = cupti();
        try (CuptiHost host = cupti.host(chip)) {
            for (HardwareCounter counter : HardwareCounter.values()) {
                assertEquals(
                        !counter.absent().contains(chip), host.has(counter.metric()), chip + " " + counter.metric());
            }
            List<String> there = Arrays.stream(HardwareCounter.values())
                    .filter(counter -> !counter.absent().contains(chip))
                    .map(HardwareCounter::metric)
                    .toList();
            int planned = host.plan(there).passes();
            if (cupti.version().toString().startsWith("13.0")) {
                assertEquals(passes, planned);
            }
            assertTrue(planned > 0, chip);
        }
    }
}
