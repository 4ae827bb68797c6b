package dev.panamark.fake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.panamark.device.Device;
import dev.panamark.kernel.Catalogue;
import dev.panamark.kernel.Kernel;
import dev.panamark.measure.Effort;
import dev.panamark.measure.Mode;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every built-in CUDA kernel through the CUDA backend: the driver's C functions, and behind them the emulator. */
class CudaFamiliesTest {
    private static final String SCRIPT = """
            device h100-sxm
            duration * 1000000000
            duration panamark_empty 1000
            """;

    static Stream<String> kernels() {
        return Catalogue.builtin(FakeRows.CACHE).all().stream()
                .filter(k -> k.hasImage("cuda"))
                .map(Kernel::name);
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void defaultsAreRight(String kernel) throws Throwable {
        Catalogue catalogue = Catalogue.builtin(FakeRows.CACHE);
        try (FakeRows rows = new FakeRows(FakeCuda.load());
                Device device = rows.open(SCRIPT)) {
            Row row = rows.row(device, catalogue, rows.request(catalogue, Mode.HOT, new Effort(1, 0, 1, 0.01), kernel));
            assertEquals(Status.OK, row.status(), row::reason);
        }
    }
}
