package dev.panamark.device.cpu;

import dev.panamark.device.DeviceInfo;
import dev.panamark.device.TextFiles;
import dev.panamark.driver.compile.Sha256;
import dev.panamark.driver.host.HostCompiler;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.Set;

/** Describes the host CPU. What cannot be read is left out, or is a text that says so; it is never a number. */
final class CpuFacts {
    private static final String FLAGS_THAT_MATTER =
            "sse4_2|avx|avx2|fma|f16c|avx512.*|avx_vnni.*|amx_.*|asimd|asimdhp|asimddp|fphp|bf16|i8mm|sve.*|sme.*";

    private final HostRoots roots;
    private final Path cpus;
    private final ProcCpuInfo cpuinfo;
    private final MemoryLeft memory;
    private final Set<String> flags;

    CpuFacts(HostRoots roots) {
        this.roots = roots;
        this.cpus = roots.sys().resolve("devices").resolve("system").resolve("cpu");
        this.cpuinfo = ProcCpuInfo.read(roots.proc());
        this.memory = new MemoryLeft(roots);
        this.flags = cpuinfo.flags();
    }

    /**
     * All of it.
     *
     * @param units hardware threads that kernels may use
     */
    DeviceInfo info(int units, HostCompiler compiler) {
        String name =
                cpuinfo.model().orElse("CPU of unknown model (" + roots.proc().resolve("cpuinfo") + " does not tell)");
        SequencedMap<String, Number> values = new LinkedHashMap<>();
        values.put("units", units);
        values.put("warp", 1); // threads that run in step: a block is one call
        lastLevelCache().ifPresent(b -> values.put("llc", b));
        memory.bytes().ifPresent(b -> values.put("memory", b));
        vectorBits().ifPresent(b -> values.put("vector_bits", b));
        return new DeviceInfo("cpu:0", "cpu", name, uuid(name), values, facts(units, compiler));
    }

    private SequencedMap<String, Object> facts(int units, HostCompiler compiler) {
        SequencedMap<String, Object> facts = new LinkedHashMap<>();
        facts.put("launch_threads", units);
        cpuinfo.vendor().ifPresent(v -> facts.put("vendor", v));
        cpuinfo.model().ifPresent(m -> facts.put("model", m));
        cpuinfo.topology().or(() -> Topology.fromSys(cpus)).ifPresent(t -> {
            facts.put("sockets", t.sockets());
            facts.put("cores", t.cores());
            facts.put("threads", t.threads());
            facts.put("threads_per_core", (double) t.threads() / t.cores());
        });
        TextFiles.number(cpus.resolve("smt").resolve("active")).ifPresent(a -> facts.put("smt_active", a == 1));
        int nodes = TextFiles.names(roots.sys().resolve("devices/system/node"), "node\\d+")
                .size();
        if (nodes > 0) {
            facts.put("numa_nodes", nodes);
        }
        List<Object> caches = caches();
        if (!caches.isEmpty()) {
            facts.put("caches", caches);
        }
        List<String> isa =
                flags.stream().filter(f -> f.matches(FLAGS_THAT_MATTER)).toList();
        if (!isa.isEmpty()) {
            facts.put("isa", isa);
        }
        facts.put("frequency", frequency());
        memory.installed().ifPresent(b -> facts.put("memory_installed", b));
        OptionalDouble quota = new ControlGroup(roots).cpuQuota();
        quota.ifPresent(q -> facts.put("cpu_quota", q));
        TextFiles.word(roots.proc().resolve("loadavg"))
                .flatMap(CpuFacts::firstNumber)
                .ifPresent(l -> facts.put("load_average_1min", l));
        hypervisor().ifPresent(h -> facts.put("hypervisor", h));
        TextFiles.word(roots.proc().resolve("sys/kernel/osrelease")).ifPresent(k -> facts.put("kernel", k));
        TextFiles.word(roots.sys().resolve("kernel/mm/transparent_hugepage/enabled"))
                .ifPresent(t -> facts.put("transparent_hugepages", chosen(t)));
        facts.put("compiler", compiler.version());
        facts.put("compiler_path", compiler.path().toString());
        return facts;
    }

    private OptionalLong lastLevelCache() {
        Optional<BitSet> usable = usable();
        return usable.isEmpty() ? OptionalLong.empty() : Caches.lastLevel(cpus, usable.get());
    }

    /** Processors that the affinity of this process allows, or else those that are online. */
    private Optional<BitSet> usable() {
        return TextFiles.text(roots.proc().resolve("self/status"))
                .orElse("")
                .lines()
                .filter(l -> l.startsWith("Cpus_allowed_list:"))
                .findFirst()
                .flatMap(l -> CpuList.parse(l.substring(l.indexOf(':') + 1)))
                .or(() -> TextFiles.word(cpus.resolve("online")).flatMap(CpuList::parse));
    }

    private List<Object> caches() {
        int first = usable().map(s -> s.nextSetBit(0)).orElse(0);
        List<Object> caches = new ArrayList<>();
        for (Caches.Cache cache : Caches.of(cpus, first)) {
            SequencedMap<String, Object> one = new LinkedHashMap<>();
            one.put("level", cache.level());
            one.put("type", cache.type());
            one.put("bytes", cache.bytes());
            one.put("shared_by", cache.shared().cardinality());
            caches.add(one);
        }
        return caches;
    }

    /** Width of a vector register, bits: from the extensions that cpuinfo lists. */
    private OptionalInt vectorBits() {
        if (flags.contains("avx512f")) {
            return OptionalInt.of(512);
        }
        if (flags.contains("avx")) {
            return OptionalInt.of(256);
        }
        if (flags.contains("sve")) {
            OptionalLong bytes = TextFiles.number(roots.proc().resolve("sys/abi/sve_default_vector_length"));
            if (bytes.isPresent() && bytes.getAsLong() > 0) {
                return OptionalInt.of((int) bytes.getAsLong() * 8);
            }
        }
        return flags.contains("sse2") || flags.contains("asimd") ? OptionalInt.of(128) : OptionalInt.empty();
    }

    private Object frequency() {
        Path folder = cpus.resolve("cpu0").resolve("cpufreq");
        SequencedMap<String, Object> frequency = new LinkedHashMap<>();
        TextFiles.word(folder.resolve("scaling_governor")).ifPresent(g -> frequency.put("governor", g));
        TextFiles.word(folder.resolve("scaling_driver")).ifPresent(d -> frequency.put("driver", d));
        Map.of("scaling_min_freq", "min_hz", "scaling_max_freq", "max_hz").entrySet().stream()
                .sorted(Map.Entry.comparingByValue(java.util.Comparator.reverseOrder()))
                .forEach(e -> TextFiles.number(folder.resolve(e.getKey()))
                        .ifPresent(khz -> frequency.put(e.getValue(), khz * 1000)));
        TextFiles.number(cpus.resolve("intel_pstate/no_turbo")).ifPresent(n -> frequency.put("turbo", n == 0));
        TextFiles.number(cpus.resolve("cpufreq/boost")).ifPresent(b -> frequency.put("turbo", b == 1));
        return frequency.isEmpty()
                ? "not readable: " + folder + " has no governor or limits (usual in virtual machines)"
                : frequency;
    }

    private Optional<String> hypervisor() {
        Optional<String> type = TextFiles.word(roots.sys().resolve("hypervisor/type"));
        if (type.isPresent() || !flags.contains("hypervisor")) {
            return type;
        }
        Path dmi = roots.sys().resolve("class/dmi/id");
        List<String> words = new ArrayList<>();
        TextFiles.word(dmi.resolve("sys_vendor")).ifPresent(words::add);
        TextFiles.word(dmi.resolve("product_name")).ifPresent(words::add);
        return Optional.of(words.isEmpty() ? "present, its name is not readable" : String.join(" ", words));
    }

    /** Of the machine's id and the model, hashed, because the id itself is private to the machine. */
    private String uuid(String name) {
        String machine = TextFiles.word(roots.etc().resolve("machine-id"))
                .or(() -> TextFiles.word(roots.proc().resolve("sys/kernel/hostname")))
                .orElse("unnamed machine");
        String hash = Sha256.of(List.of("panamark cpu", machine, name));
        return "CPU-" + hash.substring(0, 8) + "-" + hash.substring(8, 12) + "-" + hash.substring(12, 16) + "-"
                + hash.substring(16, 20) + "-" + hash.substring(20, 32);
    }

    private static Optional<Double> firstNumber(String text) {
        try {
            return Optional.of(
                    Double.parseDouble(List.of(text.split("\\s+", -1)).getFirst()));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** {@code always [madvise] never} means madvise. */
    private static String chosen(String text) {
        int open = text.indexOf('[');
        int close = text.indexOf(']');
        return open >= 0 && close > open ? text.substring(open + 1, close) : text;
    }
}
