package dev.panamark.device.profile;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Reads profile data and refuses what is wrong with it. */
final class ProfileReader {
    private static final String FORMAT = "panamark.profiles/1";
    private static final Set<String> LIMITS = Set.of(
            "shared_per_unit",
            "shared_per_block",
            "shared_reserved_per_block",
            "shared_granule",
            "registers_per_unit",
            "registers_per_thread",
            "register_granule",
            "partitions",
            "warps",
            "warp_width",
            "threads",
            "blocks",
            "banks",
            "bank_bytes");
    /** What every architecture says, be it that nobody knows. */
    private static final Set<String> NEEDED_LIMITS = Set.of(
            "shared_per_unit",
            "shared_per_block",
            "registers_per_unit",
            "registers_per_thread",
            "warps",
            "warp_width",
            "threads",
            "blocks",
            "banks",
            "bank_bytes");
    /** Limits that the data gives in KiB. */
    private static final Set<String> KIB = Set.of("shared_per_unit", "shared_per_block", "shared_reserved_per_block");

    private static final Set<String> BYTES = Set.of("shared_granule", "bank_bytes");
    private static final Set<String> PROFILE = Set.of(
            "name",
            "aliases",
            "product",
            "architecture",
            "source",
            "match",
            "pci",
            "devices",
            "units",
            "clock",
            "peak",
            "bandwidth",
            "l2",
            "llc",
            "power",
            "link");
    private static final Pattern NAME = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");
    private static final Pattern PCI = Pattern.compile("[0-9a-f]{4}:[0-9a-f]{4}");
    private static final Pattern OPERATION = Pattern.compile("(tensor|fma)_[a-z0-9]+(_acc16)?");
    private static final String OF_RATE =
            "published peak over units and clock, to the power of two that reproduces the peaks of its profiles";

    private static final double MEGA = 1e6;
    private static final double GIGA = 1e9;
    private static final double TERA = 1e12;
    private static final double KIBI = 1024;

    private final SequencedMap<String, String> sources = new LinkedHashMap<>();
    private final SequencedMap<String, Architecture> architectures = new LinkedHashMap<>();

    private ProfileReader() {}

    /**
     * Reads all profiles.
     *
     * @throws ProfileDataException when the text is not YAML or something in it is not as it should be
     */
    static List<DeviceProfile> read(String yaml) {
        try {
            Object root = new Load(LoadSettings.builder().setLabel("profiles").build()).loadFromString(yaml);
            return new ProfileReader().all(Entry.of("the whole", root));
        } catch (YamlEngineException e) {
            throw new ProfileDataException("profiles: is not YAML: " + e.getMessage());
        }
    }

    private List<DeviceProfile> all(Entry whole) {
        Entry root = new Entry("", whole.map());
        root.only(Set.of("format", "sources", "architectures", "profiles"));
        if (!root.text("format").equals(FORMAT)) {
            throw Entry.wrong("format", FORMAT, root.text("format"));
        }
        Entry known = root.entry("sources");
        known.keys().forEach(key -> sources.put(key, known.text(key)));
        Entry designs = root.entry("architectures");
        designs.keys().forEach(name -> architectures.put(name, architecture(name, designs.entry(name))));
        if (!(root.map().get("profiles") instanceof List<?> list)) {
            throw Entry.wrong("profiles", "a list", root.map().get("profiles"));
        }
        List<DeviceProfile> out = new ArrayList<>();
        Set<String> taken = new LinkedHashSet<>();
        for (Object item : list) {
            DeviceProfile profile = profile(Entry.of("profiles[" + out.size() + "]", item));
            List<String> names = new ArrayList<>(profile.aliases());
            names.add(profile.name());
            names.addAll(profile.match());
            names.addAll(profile.pci());
            for (String name : names) {
                if (!taken.add(name)) {
                    throw Entry.wrong("profiles[" + out.size() + "]", "names, aliases and ids of its own", name);
                }
            }
            out.add(profile);
        }
        return List.copyOf(out);
    }

    private Architecture architecture(String name, Entry e) {
        e.only(Set.of("vendor", "unit", "target", "source", "rates", "limits"));
        String source = source(e.at("source"), e.text("source"));
        SequencedMap<String, Figure> rates = new LinkedHashMap<>();
        Entry perClock = e.entry("rates");
        for (String operation : perClock.keys()) {
            operation(perClock.at(operation), operation);
            Figure rate = figure(perClock, operation, "FLOP/clk", 1, OF_RATE);
            boolean plain = perClock.map().get(operation) instanceof Number;
            rates.put(
                    operation,
                    plain ? Figure.computed(Objects.requireNonNull(rate.value()), "FLOP/clk", OF_RATE) : rate);
        }
        SequencedMap<String, Figure> limits = new LinkedHashMap<>();
        Entry most = e.entry("limits");
        most.only(LIMITS);
        for (String limit : most.keys()) {
            boolean kib = KIB.contains(limit);
            String unit = kib || BYTES.contains(limit) ? "B" : "count";
            limits.put(limit, figure(most, limit, unit, kib ? KIBI : 1, source));
        }
        for (String limit : NEEDED_LIMITS) {
            if (!limits.containsKey(limit)) {
                throw Entry.wrong(most.at(limit), "a number, or {none: why}", null);
            }
        }
        return new Architecture(name, e.text("vendor"), e.text("unit"), e.text("target"), rates, limits);
    }

    private static void operation(String path, String name) {
        if (!OPERATION.matcher(name).matches()) {
            throw Entry.wrong(path, "a class of operations such as tensor_f16 or fma_f32", name);
        }
    }

    private DeviceProfile profile(Entry e) {
        e.only(PROFILE);
        String name = e.text("name");
        String source = source(e.at("source"), e.text("source"));
        Architecture architecture = architectures.get(e.text("architecture"));
        if (architecture == null) {
            throw Entry.wrong(e.at("architecture"), "one of " + architectures.keySet(), e.text("architecture"));
        }
        List<String> aliases = e.texts("aliases");
        for (String each : aliases) {
            named(e.at("aliases"), each);
        }
        named(e.at("name"), name);
        List<String> pci = e.texts("pci");
        pci.stream().filter(id -> !PCI.matcher(id).matches()).findFirst().ifPresent(id -> {
            throw Entry.wrong(e.at("pci"), "vendor:device in hexadecimal, such as 10de:2330", id);
        });
        Figure units = figure(e, "units", architecture.unit(), 1, source);
        SequencedMap<String, Figure> peaks = new LinkedHashMap<>();
        Entry most = e.entry("peak");
        for (String operation : most.keys()) {
            operation(most.at(operation), operation);
            peaks.put(operation, figure(most, operation, "FLOP/s", TERA, source));
        }
        Figure l2 = figure(e, "l2", "B", KIBI * KIBI, source);
        return new DeviceProfile(
                name,
                aliases,
                e.text("product"),
                architecture,
                e.texts("match"),
                pci,
                devices(e),
                units,
                clocks(e.entry("clock"), source, units, architecture, peaks),
                peaks,
                figure(e, "bandwidth", "B/s", GIGA, source),
                l2,
                e.map().containsKey("llc") ? figure(e, "llc", "B", KIBI * KIBI, source) : l2,
                figure(e, "power", "W", 1, source),
                figure(e, "link", "B/s", GIGA, source));
    }

    private static void named(String path, String name) {
        if (!NAME.matcher(name).matches()) {
            throw Entry.wrong(path, "lower-case words joined by hyphens", name);
        }
    }

    private static int devices(Entry e) {
        Object value = e.find("devices").orElse(1);
        if (value instanceof Integer n && n >= 1) {
            return n;
        }
        throw Entry.wrong(e.at("devices"), "a whole number from 1", value);
    }

    private SequencedMap<String, Figure> clocks(
            Entry e, String source, Figure units, Architecture architecture, SequencedMap<String, Figure> peaks) {
        SequencedMap<String, Figure> out = new LinkedHashMap<>();
        for (String name : e.keys()) {
            if (!name.equals("max") && !name.equals("tensor")) {
                operation(e.at(name), name);
            }
            out.put(
                    name,
                    e.map().get(name) instanceof Map<?, ?> map && map.containsKey("computed")
                            ? clockOf(Entry.of(e.at(name), map), units, architecture, peaks)
                            : figure(e, name, "Hz", MEGA, source));
        }
        for (String needed : List.of("tensor", "max")) {
            if (!out.containsKey(needed)) {
                throw Entry.wrong(e.at(needed), "MHz, or {none: why}", null);
            }
        }
        return out;
    }

    /** The clock at which units and rate give the published peak. */
    private static Figure clockOf(
            Entry e, Figure units, Architecture architecture, SequencedMap<String, Figure> peaks) {
        e.only(Set.of("computed"));
        String operation = e.text("computed");
        Figure peak = peaks.get(operation);
        Double rate = architecture.rate(operation).value();
        if (peak == null || peak.value() == null || rate == null || units.value() == null) {
            throw Entry.wrong(e.at("computed"), "a class with peak and rate, of a profile with units", operation);
        }
        return Figure.computed(
                peak.value() / (units.value() * rate), "Hz", "published peak of " + operation + " over units and rate");
    }

    private Figure figure(Entry e, String key, String unit, double scale, String source) {
        Object value = e.map().get(key);
        if (value instanceof Number number) {
            return number(e.at(key), number, unit, scale, source);
        }
        if (!(value instanceof Map<?, ?>)) {
            throw Entry.wrong(e.at(key), "a number, {value, source} or {none: why}", value);
        }
        Entry own = e.entry(key);
        own.only(Set.of("value", "source", "none", "rounded"));
        if (own.map().containsKey("none")) {
            if (own.map().size() > 1) {
                throw Entry.wrong(own.at("none"), "no value and no source beside it", own.map());
            }
            return Figure.missing(unit, own.text("none"));
        }
        if (!(own.map().get("value") instanceof Number number)) {
            throw Entry.wrong(own.at("value"), "a number", own.map().get("value"));
        }
        Figure figure = number(own.at("value"), number, unit, scale, source(own.at("source"), own.text("source")));
        return Boolean.TRUE.equals(own.map().get("rounded")) ? figure.roughly() : figure;
    }

    private static Figure number(String path, Number number, String unit, double scale, @Nullable String source) {
        double value = number.doubleValue();
        if (!(value > 0) || Double.isInfinite(value)) {
            throw Entry.wrong(path, "a positive number", number);
        }
        return Figure.published(value * scale, unit, Objects.requireNonNull(source));
    }

    /** The texts of sources named by keys. */
    private String source(String path, String keys) {
        List<String> texts = new ArrayList<>();
        for (String key : keys.split(",", -1)) {
            String text = sources.get(key.strip());
            if (text == null) {
                throw Entry.wrong(path, "keys of sources, " + sources.keySet(), key.strip());
            }
            texts.add(text);
        }
        return String.join("; ", texts);
    }
}
