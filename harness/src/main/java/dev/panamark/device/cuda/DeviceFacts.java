package dev.panamark.device.cuda;

import dev.panamark.device.DeviceInfo;
import dev.panamark.device.gpu.OptionalFacts;
import dev.panamark.device.profile.DeviceProfile;
import dev.panamark.device.profile.DeviceProfiles;
import dev.panamark.driver.cuda.CudaDevice;
import dev.panamark.driver.cuda.CudaDriver;
import dev.panamark.driver.cuda.CudaException;
import dev.panamark.driver.cuda.CudaFunction;
import dev.panamark.driver.cuda.DeviceAttribute;
import dev.panamark.ffi.Availability;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;

/** What the driver tells of a GPU. */
final class DeviceFacts {
    private DeviceFacts() {}

    /** As the command line has it. */
    static String id(int ordinal) {
        return "cuda:" + ordinal;
    }

    static DeviceInfo of(CudaDriver driver, CudaDevice device, NvmlFacts settings, Map<String, String> env) {
        String name = device.name();
        int major = device.attribute(DeviceAttribute.COMPUTE_CAPABILITY_MAJOR);
        int minor = device.attribute(DeviceAttribute.COMPUTE_CAPABILITY_MINOR);
        int units = device.attribute(DeviceAttribute.MULTIPROCESSOR_COUNT);
        SequencedMap<String, Number> values = new LinkedHashMap<>();
        values.put("units", units);
        values.put("warp", device.attribute(DeviceAttribute.WARP_SIZE));
        values.put("cc", 10 * major + minor);
        values.put("shared_block", sharedPerBlock(device));
        values.put("memory", device.totalMemory());
        int cache = device.attribute(DeviceAttribute.L2_CACHE_SIZE);
        if (cache > 0) {
            values.put("llc", cache);
        }
        SequencedMap<String, Object> facts = new LinkedHashMap<>();
        facts.put("driver", driver.file());
        facts.put("driver_cuda", driver.version().toString());
        facts.put("target", "sm_" + major + minor);
        facts.put("pci", device.pciBusId());
        DeviceProfiles.shipped().ofDriverName(name).map(DeviceProfile::name).ifPresent(p -> facts.put("profile", p));
        OptionalFacts told = new OptionalFacts(facts, e -> e instanceof CudaException refused && !refused.isFatal());
        told.put("clock_max_hz", () -> device.attribute(DeviceAttribute.CLOCK_RATE), OptionalFacts::hertz);
        told.put(
                "memory_clock_max_hz", () -> device.attribute(DeviceAttribute.MEMORY_CLOCK_RATE), OptionalFacts::hertz);
        told.put("memory_bus_bits", () -> device.attribute(DeviceAttribute.GLOBAL_MEMORY_BUS_WIDTH), v -> v);
        told.put("ecc", () -> device.attribute(DeviceAttribute.ECC_ENABLED), v -> v != 0);
        told.put("compute_mode", () -> device.attribute(DeviceAttribute.COMPUTE_MODE), DeviceFacts::computeMode);
        told.put("kernels_are_timed_out", () -> device.attribute(DeviceAttribute.KERNEL_EXEC_TIMEOUT), v -> v != 0);
        facts.putAll(settings.of(device.pciBusId()));
        String visible = env.get("CUDA_VISIBLE_DEVICES");
        if (visible != null) {
            facts.put("visible_devices", visible);
        }
        return new DeviceInfo(id(device.ordinal()), "cuda", name, uuid(driver, device), values, facts);
    }

    private static int sharedPerBlock(CudaDevice device) {
        return Math.max(
                device.attribute(DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK),
                device.attribute(DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
    }

    /** As nvidia-smi -L writes it; by its place on the bus where the driver is too old to tell. */
    private static String uuid(CudaDriver driver, CudaDevice device) {
        return driver.has(CudaFunction.DEVICE_GET_UUID) instanceof Availability.Available<CudaFunction>
                ? (device.name().contains("MIG") ? "MIG-" : "GPU-") + device.uuid()
                : "pci-" + device.pciBusId();
    }

    private static Object computeMode(int code) {
        List<String> names = List.of("default", "exclusive", "prohibited", "exclusive_process");
        return code >= 0 && code < names.size() ? names.get(code) : String.format(Locale.ROOT, "%d", code);
    }
}
