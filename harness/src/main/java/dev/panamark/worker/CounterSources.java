package dev.panamark.worker;

import dev.panamark.device.DeviceInfo;
import dev.panamark.device.DeviceProvider;
import dev.panamark.device.ProfilerProgram;
import dev.panamark.ffi.Availability;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Who counts what launches do, where that is asked for.
 *
 * @param programs that read a device's counters from outside, by id of the device; devices that are not in it have no counters
 * @param emulations ids of emulated devices of the same product, by id of the device
 */
public record CounterSources(Map<String, Availability<ProfilerProgram>> programs, Map<String, String> emulations) {
    /** Nobody. */
    public static final CounterSources NONE = new CounterSources(Map.of(), Map.of());

    /** Copies. */
    public CounterSources {
        programs = Map.copyOf(programs);
        emulations = Map.copyOf(emulations);
    }

    /**
     * Of the devices of a run.
     *
     * @param found all devices that there are, emulated ones too
     */
    public static CounterSources of(List<DeviceProvider.Candidate> chosen, Collection<DeviceProvider.Candidate> found) {
        Map<String, Availability<ProfilerProgram>> programs = new HashMap<>();
        Map<String, String> emulations = new HashMap<>();
        for (DeviceProvider.Candidate candidate : chosen) {
            candidate.profilerProgram().ifPresent(program -> {
                programs.put(candidate.info().id(), program);
                emulation(candidate.info(), found)
                        .ifPresent(id -> emulations.put(candidate.info().id(), id));
            });
        }
        return new CounterSources(programs, emulations);
    }

    private static Optional<String> emulation(DeviceInfo info, Collection<DeviceProvider.Candidate> found) {
        Object profile = info.facts().get("profile");
        return found.stream()
                .filter(DeviceProvider.Candidate::isEmulated)
                .map(DeviceProvider.Candidate::info)
                .filter(other -> profile != null && profile.equals(other.facts().get("profile")))
                .map(DeviceInfo::id)
                .findFirst();
    }

    boolean has(String device) {
        return programs.containsKey(device);
    }
}
