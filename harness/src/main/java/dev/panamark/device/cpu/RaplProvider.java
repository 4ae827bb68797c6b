package dev.panamark.device.cpu;

import dev.panamark.device.DeviceException;
import dev.panamark.device.MeterInfo;
import dev.panamark.device.MeterProvider;
import dev.panamark.device.PowerMeter;
import dev.panamark.device.TextFiles;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Energy counters of processor packages and memory (RAPL), through {@code /sys/class/powercap}. Zones that count the
 * same joules by another road ({@code intel-rapl-mmio}) are taken only where the first cannot be read.
 */
public final class RaplProvider implements MeterProvider {
    private static final Pattern ZONE = Pattern.compile("intel-rapl(-[a-z]+)?(:[0-9a-f]+)+");
    private static final Pattern CONTROL = Pattern.compile("intel-rapl(-[a-z]+)?");

    /** The control type of the processor's own registers, which goes before others. */
    private static final String REGISTERS = "intel-rapl";

    private final HostRoots roots;
    private final Path powercap;
    private final Opener opener;

    /** Opens a counter; tests refuse what root could not be refused. */
    @FunctionalInterface
    interface Opener {
        RaplMeter open(MeterInfo info, Path counter) throws IOException;
    }

    /** {@code roots}: where the machine is described. */
    public RaplProvider(HostRoots roots) {
        this(roots, RaplMeter::new);
    }

    RaplProvider(HostRoots roots, Opener opener) {
        this.roots = roots;
        this.opener = opener;
        this.powercap = roots.sys().resolve("class").resolve("powercap");
    }

    @Override
    public String source() {
        return "powercap";
    }

    @Override
    public String backend() {
        return "cpu";
    }

    @Override
    public List<Availability<PowerMeter>> discover() {
        SequencedMap<String, Path> folders = folders();
        if (folders.isEmpty()) {
            return List.of(nothing());
        }
        List<RaplZone> zones = new ArrayList<>();
        List<Availability<PowerMeter>> broken = new ArrayList<>();
        SequencedMap<String, RaplZone> byName = new LinkedHashMap<>();
        folders.forEach((name, folder) -> {
            if (!Files.isDirectory(folder)) {
                broken.add(hidden(folder));
                return;
            }
            String purpose = TextFiles.word(folder.resolve("name")).orElse("");
            if (purpose.isEmpty()) {
                broken.add(Availability.missing(
                        folder.resolve("name") + " is not readable or empty, so what the zone meters is not known",
                        "Report it with the kernel's version (uname -r)."));
                return;
            }
            RaplZone zone = new RaplZone(folder, name, purpose, parent(name, byName));
            byName.put(name, zone);
            zones.add(zone);
        });
        // The processor's registers first, so that they are what a subject is read from where both can be.
        zones.sort(Comparator.comparing((RaplZone z) -> !z.control().equals(REGISTERS)));
        return opened(zones, broken);
    }

    private List<Availability<PowerMeter>> opened(List<RaplZone> zones, List<Availability<PowerMeter>> otherwise) {
        SequencedMap<String, RaplMeter> meters = new LinkedHashMap<>();
        SequencedMap<String, RaplZone> denied = new LinkedHashMap<>();
        SequencedMap<String, String> failed = new LinkedHashMap<>();
        for (RaplZone zone : zones) {
            String subject = zone.subject();
            if (meters.containsKey(subject) && zone.control().equals(REGISTERS)) {
                subject += "@" + zone.zone(); // two zones of one name are two things, as each control type has its own
            } else if (meters.containsKey(subject)) {
                continue;
            }
            try {
                meters.put(subject, opened(zone, subject));
                denied.remove(subject);
                failed.remove(subject);
            } catch (AccessDeniedException e) {
                denied.putIfAbsent(subject, zone);
            } catch (NoSuchFileException e) {
                failed.putIfAbsent(subject, zone.counter() + " is not there");
            } catch (IOException | DeviceException e) {
                failed.putIfAbsent(subject, String.valueOf(e.getMessage()));
            }
        }
        List<Availability<PowerMeter>> all = new ArrayList<>();
        // Where only the platform's sensor can be read, it is all there is, and nothing is counted twice.
        boolean nothingElse =
                meters.values().stream().noneMatch(m -> m.info().overlap().isEmpty());
        meters.values().stream()
                .map(m -> nothingElse && m.info().scope() == MeterInfo.Scope.PLATFORM ? m.counted() : m)
                .sorted(Comparator.comparing((RaplMeter m) -> m.info().id()))
                .forEach(m -> all.add(Availability.of(m)));
        if (!denied.isEmpty()) {
            all.add(denied(denied));
        }
        failed.forEach((subject, reason) -> all.add(Availability.missing(
                "rapl:" + subject + ": " + reason,
                "Without it this domain's energy is not known; try another kernel.")));
        all.addAll(otherwise);
        return all;
    }

    private RaplMeter opened(RaplZone zone, String subject) throws IOException {
        RaplMeter meter = opener.open(zone.info().withId("rapl:" + subject), zone.counter());
        try {
            meter.check();
            return meter;
        } catch (DeviceException e) {
            meter.close();
            throw e;
        }
    }

    /** Flat, as the kernel links them, and the nested ones below for a kernel that does not. */
    private SequencedMap<String, Path> folders() {
        SequencedMap<String, Path> found = new LinkedHashMap<>();
        for (String name : TextFiles.names(powercap, ZONE.pattern())) {
            found.put(name, powercap.resolve(name));
        }
        for (String control : TextFiles.names(powercap, CONTROL.pattern())) {
            nested(powercap.resolve(control), found);
        }
        SequencedMap<String, Path> sorted = new LinkedHashMap<>();
        found.keySet().stream()
                .sorted(Comparator.comparingInt(RaplProvider::depth).thenComparing(n -> n))
                .forEach(n -> sorted.put(n, found.getOrDefault(n, powercap)));
        return sorted;
    }

    private static void nested(Path folder, Map<String, Path> found) {
        for (String name : TextFiles.names(folder, ZONE.pattern())) {
            found.putIfAbsent(name, folder.resolve(name));
            nested(folder.resolve(name), found);
        }
    }

    private static int depth(String zone) {
        return (int) zone.chars().filter(c -> c == ':').count();
    }

    private static @Nullable RaplZone parent(String zone, Map<String, RaplZone> byName) {
        return depth(zone) == 1 ? null : byName.get(zone.substring(0, zone.lastIndexOf(':')));
    }

    private Availability<PowerMeter> nothing() {
        if (Files.isDirectory(powercap)) {
            return Availability.missing(
                    powercap + " has no zone of intel-rapl",
                    virtual()
                            ? "This is a virtual machine: measure on the host, as guests are not given the counters."
                            : "Load the driver (sudo modprobe intel_rapl_msr; processors of Intel and, since Linux 5.8,"
                                    + " AMD have these counters).");
        }
        return Availability.missing(
                powercap + " is not there",
                virtual()
                        ? "This is a virtual machine: measure on the host, as guests are not given the counters."
                        : "Load the driver (sudo modprobe intel_rapl_msr), or use a kernel with CONFIG_POWERCAP and"
                                + " CONFIG_INTEL_RAPL; processors of Intel and, since Linux 5.8, AMD have these counters.");
    }

    private boolean virtual() {
        return TextFiles.text(roots.proc().resolve("cpuinfo"))
                .map(t -> t.lines().anyMatch(l -> l.startsWith("flags") && (l + " ").contains(" hypervisor ")))
                .orElse(false);
    }

    private static Availability<PowerMeter> hidden(Path folder) {
        return Availability.missing(
                folder + " leads nowhere: container engines hide the counters",
                "Measure outside of the container, or start it with what lies behind the link (Docker: --security-opt"
                        + " systempaths=unconfined).");
    }

    private static Availability<PowerMeter> denied(SequencedMap<String, RaplZone> denied) {
        SequencedSet<String> globs = new LinkedHashSet<>();
        List<String> reasons = new ArrayList<>();
        denied.forEach((subject, zone) -> {
            Path parent = zone.folder().getParent();
            globs.add((parent == null ? zone.folder() : parent).resolve(zone.control() + ":*") + "/energy_uj");
            reasons.add("rapl:" + subject + ": no permission to read " + zone.counter());
        });
        return new Availability.Unavailable<>(
                reasons,
                "Linux lets only root read energy counters (CVE-2020-8694). Until the next boot: sudo chmod a+r "
                        + String.join(" ", globs)
                        + " -- for good, this line in /etc/udev/rules.d/60-powercap.rules: " + UDEV_RULE);
    }

    /** Lets everybody read the counters of every zone that the kernel adds. */
    static final String UDEV_RULE =
            "SUBSYSTEM==\"powercap\", KERNEL==\"intel-rapl*:*\", ACTION==\"add\", RUN+=\"/bin/chmod a+r /sys%p/energy_uj\"";
}
