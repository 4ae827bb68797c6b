package dev.panamark.device.emulated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.panamark.device.Counted;
import dev.panamark.device.profile.DeviceProfile;
import dev.panamark.device.profile.DeviceProfiles;
import dev.panamark.ffi.Availability;
import dev.panamark.ptx.Counts;
import dev.panamark.ptx.DeviceMemory;
import dev.panamark.ptx.Extent;
import dev.panamark.ptx.LaunchOptions;
import dev.panamark.ptx.LinkedModule;
import dev.panamark.ptx.PtxModule;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Operations of tensor cores in the lower bound on time. */
class TensorRatesTest {
    private static DeviceProfile profile(String name) {
        return DeviceProfiles.shipped().named(name).orElseThrow();
    }

    /** As many operations as the published peak has in a second, of dense matrices, TFLOP/s. */
    @ParameterizedTest
    @CsvSource({
        "a100-sxm-80, tensor_f16, 312",
        "a100-sxm-80, tensor_f16_acc16, 312",
        "a100-sxm-80, tensor_tf32, 156",
        "h100-sxm, tensor_bf16, 989.4",
        "h100-sxm, tensor_f8, 1978.9",
        "rtx-4090, tensor_f16, 165.2",
        "rtx-4090, tensor_f16_acc16, 330.3",
        "rtx-4090, tensor_f8_acc16, 660.6"
    })
    void publishedPeaksTakeASecond(String name, String operation, double peak) {
        Availability<Counted.Bound> bound =
                new TimeBound(profile(name)).of(0, 1_000_000, Map.of(operation, (long) (peak * 1e12)), 0, 0, 0);
        Availability.Available<?> available = assertInstanceOf(Availability.Available.class, bound);
        Counted.Bound value = assertInstanceOf(Counted.Bound.class, available.value());
        assertEquals(1, value.seconds(), 0.005);
        assertEquals("tensor cores (" + operation + ")", value.limiter());
    }

    /** Two warps of one m16n8k16. */
    @Test
    void classesOfTensorCoresKeepTheirNames(@TempDir Path folder) {
        String text = """
                .version 8.0
                .target sm_80
                .address_size 64
                .visible .entry k()
                {
                .reg .b32 %a;
                .reg .f32 %s;
                mov.b32 %a, 0x3c003c00;
                mov.f32 %s, 0f3f800000;
                mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s, %s, %s, %s}, {%a, %a, %a, %a}, {%a, %a}, {%s, %s, %s, %s};
                add.f32 %s, %s, %s;
                ret;
                }
                """;
        PtxModule module = PtxModule.load("k.ptx", text);
        try (DeviceMemory memory = DeviceMemory.create(1 << 20, folder);
                LinkedModule linked = module.link(memory)) {
            Counts counts = linked.launch(
                    "k",
                    Extent.of(1),
                    Extent.of(64),
                    0,
                    new byte[0],
                    LaunchOptions.plain().counting(true));
            DeviceProfile profile = profile("h100-sxm");
            Tally tally = new Tally(profile, Limits.of(profile));
            tally.add(new Tally.Launch(module.kernel("k"), new Registers(16, "a test", false), 1, 64, 0), counts);
            assertEquals(
                    Map.of("tensor_f16", 2 * 2L * 16 * 8 * 16, "fma_f32", 64L),
                    tally.counted(Optional.empty()).flops());
        }
    }
}
