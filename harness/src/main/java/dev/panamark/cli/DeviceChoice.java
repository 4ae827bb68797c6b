package dev.panamark.cli;

import dev.panamark.device.DeviceProvider;
import dev.panamark.ffi.Availability;
import dev.panamark.worker.Backends;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.regex.Pattern;

/** Finds the devices of this machine and picks those that {@code --devices} names. */
final class DeviceChoice {
    private static final Pattern ID = Pattern.compile("[a-z][a-z0-9]*(:[A-Za-z0-9._-]+)?");

    private final SequencedMap<String, DeviceProvider.Candidate> found = new LinkedHashMap<>();
    private final SequencedMap<String, List<Availability.Unavailable<?>>> missing = new LinkedHashMap<>();

    DeviceChoice(Surroundings surroundings) {
        for (DeviceProvider provider : Backends.all(surroundings.env(), surroundings.cache())) {
            missing.put(provider.backend(), new ArrayList<>());
            for (Availability<DeviceProvider.Candidate> a : provider.discover()) {
                switch (a) {
                    case Availability.Available<DeviceProvider.Candidate>(DeviceProvider.Candidate c) ->
                        found.put(c.info().id(), c);
                    case Availability.Unavailable<DeviceProvider.Candidate> none ->
                        missing.computeIfAbsent(provider.backend(), b -> new ArrayList<>())
                                .add(none);
                }
            }
        }
    }

    /** Everything found, by id. */
    SequencedMap<String, DeviceProvider.Candidate> found() {
        return found;
    }

    /** Whether nothing is there but what this program emulates. */
    boolean isEmulatedOnly() {
        return found.values().stream().allMatch(DeviceProvider.Candidate::isEmulated);
    }

    /** Why nothing can be measured, only emulated; empty where something can. */
    Optional<String> onlyEmulates() {
        return isEmulatedOnly()
                ? Optional.of("nothing here can be measured, so rows are emulated only" + complaints(""))
                : Optional.empty();
    }

    /** What is not there, by backend; backends without a complaint have an empty list. */
    SequencedMap<String, List<Availability.Unavailable<?>>> missing() {
        return missing;
    }

    /**
     * The devices of these names: ids ({@code cpu:0}), backends ({@code cpu}: all of it), or {@code all}. No name
     * means all as well.
     *
     * @throws CommandFailed with exit code 2 when a name cannot be one, 3 when there is no such device
     */
    List<DeviceProvider.Candidate> choose(List<String> names) {
        if (names.isEmpty() || names.contains("all")) {
            List<DeviceProvider.Candidate> all = found.values().stream()
                    .filter(DeviceProvider.Candidate::isUsual)
                    .toList();
            if (all.isEmpty()) {
                throw new CommandFailed(ExitCode.NOTHING_THERE, "there is no device" + complaints(""));
            }
            return all;
        }
        SequencedMap<String, DeviceProvider.Candidate> chosen = new LinkedHashMap<>();
        for (String name : names) {
            if (!ID.matcher(name).matches()) {
                throw new CommandFailed(
                        ExitCode.BAD_INPUT,
                        "--devices: '" + name + "' is not a device; expected a backend and a number such as cpu:0,"
                                + " a backend such as cpu, or all");
            }
            List<DeviceProvider.Candidate> matches = found.values().stream()
                    .filter(c ->
                            c.info().id().equals(name) || (c.info().backend().equals(name) && c.isUsual()))
                    .toList();
            if (matches.isEmpty()) {
                throw new CommandFailed(ExitCode.NOTHING_THERE, absent(name));
            }
            matches.forEach(c -> chosen.put(c.info().id(), c));
        }
        return List.copyOf(chosen.values());
    }

    private String absent(String name) {
        String backend = name.contains(":") ? name.substring(0, name.indexOf(':')) : name;
        String there = found.isEmpty() ? "no device is there" : "there is " + String.join(", ", found.keySet());
        if (!missing.containsKey(backend)) {
            return "--devices: there is no device " + name + ": this build has no backend '" + backend + "' (it has "
                    + String.join(", ", missing.keySet()) + "); " + there;
        }
        return "--devices: there is no device " + name + "; " + there + complaints(backend);
    }

    private String complaints(String backend) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, List<Availability.Unavailable<?>>> e : missing.entrySet()) {
            if (backend.isEmpty() || e.getKey().equals(backend)) {
                e.getValue()
                        .forEach(m -> text.append("\n  ")
                                .append(e.getKey())
                                .append(": ")
                                .append(m.text()));
            }
        }
        return text.toString();
    }
}
