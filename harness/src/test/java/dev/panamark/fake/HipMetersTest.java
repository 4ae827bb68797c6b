package dev.panamark.fake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.panamark.amd.AmdTree;
import dev.panamark.amd.AmdTree.Gpu;
import dev.panamark.amd.AmdTree.Model;
import dev.panamark.device.DeviceInfo;
import dev.panamark.device.DeviceProvider;
import dev.panamark.device.PowerMeter;
import dev.panamark.device.amdgpu.AmdgpuProvider;
import dev.panamark.device.hip.HipProvider;
import dev.panamark.driver.hip.HipDriver;
import dev.panamark.ffi.Availability;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which of the kernel's meters are those of a device of HIP. The fake's second device sits 16 buses behind its usual place. */
class HipMetersTest {
    private final FakeHip fake;
    private final AmdTree tree;

    HipMetersTest(@TempDir Path folder) throws Exception {
        fake = FakeHip.load();
        tree = new AmdTree(folder.resolve("sys"));
    }

    private List<DeviceInfo> devices(String script) throws Throwable {
        fake.reset(script);
        List<DeviceInfo> all = new ArrayList<>();
        for (Availability<DeviceProvider.Candidate> found :
                new HipProvider(Map.of(HipDriver.VARIABLE, fake.file()), Path.of("nowhere"), tree.sys()).discover()) {
            all.add(found.orElseThrow(IllegalStateException::new).info());
        }
        return all;
    }

    /** Ids of the meters of a device. */
    private List<String> meters(DeviceInfo device) {
        List<String> ids = new ArrayList<>();
        for (Availability<PowerMeter> found : new AmdgpuProvider(Map.of(), tree.sys()).discover()) {
            if (found instanceof Availability.Available<PowerMeter>(PowerMeter meter)) {
                try (meter) {
                    if (meter.isOf(device)) {
                        ids.add(meter.info().id());
                    }
                }
            }
        }
        return ids;
    }

    @Test
    void metersAreFoundByTheUniqueIdAndByThePlaceOnTheBus() throws Throwable {
        tree.gpu(Model.MI210, 0x73, "1.3");
        Gpu elsewhere = tree.gpu(Model.MI300X, 0xc1, "1.3");
        List<DeviceInfo> devices = devices("device mi300x\ndevice mi210\n");
        assertEquals(
                List.of("hip:0", "hip:1"), devices.stream().map(DeviceInfo::id).toList());
        assertEquals(List.of(), meters(devices.getFirst()), "neither its id nor its place");
        elsewhere.with("unique_id", devices.getFirst().uuid().substring("GPU-".length()));
        assertEquals(List.of("amdgpu:1", "amdgpu:1/power"), meters(devices.getFirst()));
        assertEquals(List.of("amdgpu:0", "amdgpu:0/power"), meters(devices.getLast()));
    }

    /** An MI300X in eight parts has one sensor for all of them. */
    @Test
    void ofADividedGpuNoDeviceHasTheMetersAlone() throws Throwable {
        tree.gpu(Model.MI300X, 0x05, "1.3").with("current_compute_partition", "CPX");
        assertEquals(
                List.of(), meters(devices("device mi300x\nattribute 63 38\n").getFirst()));
    }
}
