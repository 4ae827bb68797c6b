package dev.panamark.device.hip;

import dev.panamark.device.DeviceInfo;
import dev.panamark.device.TextFiles;
import dev.panamark.device.gpu.OptionalFacts;
import dev.panamark.device.profile.DeviceProfile;
import dev.panamark.device.profile.DeviceProfiles;
import dev.panamark.driver.hip.DeviceAttribute;
import dev.panamark.driver.hip.HipDevice;
import dev.panamark.driver.hip.HipDriver;
import dev.panamark.driver.hip.HipException;
import dev.panamark.driver.hip.HipFunction;
import dev.panamark.ffi.Availability;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/**
 * What the runtime, the kernel and the profiles tell of a GPU.
 *
 * @param sys {@code /sys}, or a folder that stands for it
 * @param env environment variables
 */
record HipFacts(Path sys, Map<String, String> env) {
    /** The first two hide devices from HIP, the last from whatever uses ROCm. */
    private static final List<String> HIDING =
            List.of("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES");

    /** Generations of CDNA by processor (LLVM, "User Guide for AMDGPU Backend", "Processors"). */
    private static final Map<String, Integer> CDNA = Map.of("gfx908", 1, "gfx90a", 2, "gfx942", 3, "gfx950", 4);

    /** From this one on a device is of several dies, and the runtime tells the L2 of one. */
    private static final int OF_SEVERAL_DIES = 3;

    /** As the command line has it. */
    static String id(int ordinal) {
        return "hip:" + ordinal;
    }

    DeviceInfo of(HipDriver driver, HipDevice device) {
        String name = device.name();
        String target = device.target();
        Optional<Integer> generation = Optional.ofNullable(CDNA.get(device.processor()));
        Optional<DeviceProfile> profile = DeviceProfiles.shipped().ofDriverName(name);
        SequencedMap<String, Number> values = new LinkedHashMap<>();
        values.put("units", device.attribute(DeviceAttribute.MULTIPROCESSOR_COUNT));
        values.put("warp", device.attribute(DeviceAttribute.WARP_SIZE));
        generation.ifPresent(g -> values.put("cdna", g));
        values.put("shared_block", device.attribute(DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK));
        values.put("memory", device.totalMemory());
        lastCache(device, profile, generation).ifPresent(bytes -> values.put("llc", bytes));
        String pci = device.pciBusId();
        SequencedMap<String, Object> facts = new LinkedHashMap<>();
        facts.put("driver", driver.file());
        facts.put("driver_hip", driver.version().toString());
        facts.put("target", target);
        facts.put("pci", pci);
        profile.ifPresent(p -> facts.put("profile", p.name()));
        OptionalFacts told = new OptionalFacts(facts, e -> e instanceof HipException refused && !refused.isFatal());
        told.put("clock_max_hz", () -> device.attribute(DeviceAttribute.CLOCK_RATE), OptionalFacts::hertz);
        told.put(
                "memory_clock_max_hz", () -> device.attribute(DeviceAttribute.MEMORY_CLOCK_RATE), OptionalFacts::hertz);
        told.put("memory_bus_bits", () -> device.attribute(DeviceAttribute.MEMORY_BUS_WIDTH), v -> v);
        told.put("l2_of_a_die_bytes", () -> device.attribute(DeviceAttribute.L2_CACHE_SIZE), v -> v);
        told.put("ecc", () -> device.attribute(DeviceAttribute.ECC_ENABLED), v -> v != 0);
        facts.putAll(partitions(pci));
        String visible = HIDING.stream()
                .filter(env::containsKey)
                .map(v -> v + "=" + env.get(v))
                .collect(Collectors.joining(", "));
        if (!visible.isEmpty()) {
            facts.put("visible_devices", visible);
        }
        return new DeviceInfo(
                id(device.ordinal()),
                "hip",
                name.isEmpty() ? "AMD GPU " + device.processor() : name,
                uuid(driver, device),
                values,
                facts);
    }

    /**
     * Bytes of the cache before the memory: by the profile, which knows the Infinity Cache; without one the runtime's L2,
     * where that is all of it.
     */
    private static Optional<Long> lastCache(
            HipDevice device, Optional<DeviceProfile> profile, Optional<Integer> generation) {
        Double published = profile.map(p -> p.llc().value()).orElse(null);
        if (profile.isPresent() && published != null) {
            return Optional.of(Math.round(published / profile.get().devices()));
        }
        int l2 = device.attribute(DeviceAttribute.L2_CACHE_SIZE);
        return generation.filter(g -> g < OF_SEVERAL_DIES && l2 > 0).map(_ -> (long) l2);
    }

    /** As ROCm SMI writes it; by its place on the bus where the runtime is too old to tell. */
    private static String uuid(HipDriver driver, HipDevice device) {
        return driver.has(HipFunction.DEVICE_GET_UUID) instanceof Availability.Available<HipFunction>
                ? device.uuid()
                : "pci-" + device.pciBusId();
    }

    /** How it is divided, where the kernel tells: {@code SPX} and {@code NPS1} are not at all. */
    private SequencedMap<String, Object> partitions(String pci) {
        SequencedMap<String, Object> modes = new LinkedHashMap<>();
        for (String mode : List.of("compute", "memory")) {
            TextFiles.word(sys.resolve("bus/pci/devices").resolve(pci).resolve("current_" + mode + "_partition"))
                    .ifPresent(text -> modes.put(mode + "_partition", text));
        }
        return modes;
    }
}
