package dev.panamark.device.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.DeviceInfo;
import dev.panamark.device.DeviceProvider;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads machines that tests write; the compiler is a script, so these run everywhere. */
class CpuProviderTest {
    @TempDir
    Path folder;

    private SyntheticMachine machine = new SyntheticMachine(Path.of("unset"));
    private Path compiler = Path.of("unset");

    @BeforeEach
    void prepare() throws IOException {
        machine = new SyntheticMachine(folder.resolve("machine"));
        compiler = Files.writeString(folder.resolve("cc"), "#!/bin/sh\necho 'cc 1.2.3'\n");
        Files.setPosixFilePermissions(compiler, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private DeviceInfo info() {
        List<Availability<DeviceProvider.Candidate>> found = new CpuProvider(
                        Map.of("CC", compiler.toString()), folder.resolve("cache"), OptionalInt.of(6), machine.roots())
                .discover();
        assertEquals(1, found.size());
        return ((Availability.Available<DeviceProvider.Candidate>) found.getFirst())
                .value()
                .info();
    }

    @Test
    void noCompilerIsAbsenceWithThePackage() {
        List<Availability<DeviceProvider.Candidate>> found =
                new CpuProvider(Map.of("PATH", folder.resolve("empty").toString()), folder.resolve("cache")).discover();
        Availability.Unavailable<DeviceProvider.Candidate> none =
                (Availability.Unavailable<DeviceProvider.Candidate>) found.getFirst();
        assertEquals(3, none.reasons().size());
        assertTrue(none.remedy().contains("build-essential"), none.remedy());
        assertThrows(
                IllegalArgumentException.class,
                () -> new CpuProvider(Map.of(), folder, OptionalInt.of(0), HostRoots.system()));
    }

    @Test
    void withNothingReadableNothingIsInvented() {
        DeviceInfo info = info();
        assertEquals("cpu:0", info.id());
        assertEquals("cpu", info.backend());
        assertTrue(info.name().startsWith("CPU of unknown model ("), info.name());
        assertEquals(Map.of("units", 6, "warp", 1), info.values());
        assertEquals(
                List.of("launch_threads", "frequency", "compiler", "compiler_path"),
                List.copyOf(info.facts().keySet()));
        assertTrue(String.valueOf(info.facts().get("frequency")).startsWith("not readable: "));
        assertEquals("cc 1.2.3", info.facts().get("compiler"));
        assertEquals(compiler.toString(), info.facts().get("compiler_path"));
    }

    @Test
    void garbageIsNothing() throws IOException {
        machine.proc("cpuinfo", "\u0000\u0001:::\nprocessor\nflags")
                .proc("meminfo", "MemAvailable: lots kB\nMemTotal:\n")
                .proc("loadavg", "high")
                .proc("self/cgroup", "::::\n0::/../../x\nnonsense\n")
                .proc("self/status", "Cpus_allowed_list:\t7-3\n")
                .cpu("online", "a-b")
                .cache(0, 0, 1, "Data", "big", "0")
                .sys("fs/cgroup/memory.max", "much")
                .sys("fs/cgroup/cpu.max", "1 0 3");
        assertEquals(Map.of("units", 6, "warp", 1), info().values());
        assertEquals(
                List.of("launch_threads", "frequency", "compiler", "compiler_path"),
                List.copyOf(info().facts().keySet()));
    }

    @Test
    void anIntelWorkstation() throws IOException {
        StringBuilder cpuinfo = new StringBuilder();
        for (int cpu = 0; cpu < 8; cpu++) {
            cpuinfo.append("processor\t: ")
                    .append(cpu)
                    .append("\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Core(TM) i7-7700 CPU @ 3.60GHz\n")
                    .append("physical id\t: 0\ncore id\t: ")
                    .append(cpu % 4)
                    .append("\nflags\t\t: fpu sse2 sse4_2 avx f16c avx2 fma\n\n");
        }
        machine.proc("cpuinfo", cpuinfo.toString())
                .proc("meminfo", "MemTotal:       16000000 kB\nMemFree: 1 kB\nMemAvailable:   12000000 kB\n")
                .proc("self/status", "Name:\tx\nCpus_allowed_list:\t0-7\n")
                .proc("loadavg", "0.52 0.58 0.59 1/467 12345\n")
                .proc("sys/kernel/osrelease", "6.1.0-13-amd64\n")
                .etc("machine-id", "0123456789abcdef0123456789abcdef\n")
                .cpu("smt/active", "1\n")
                .cpu("intel_pstate/no_turbo", "0\n")
                .cpu("cpu0/cpufreq/scaling_governor", "powersave\n")
                .cpu("cpu0/cpufreq/scaling_min_freq", "800000\n")
                .cpu("cpu0/cpufreq/scaling_max_freq", "4200000\n")
                .sys("devices/system/node/node0/cpulist", "0-7\n")
                .sys("kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n")
                .cache(0, 0, 1, "Data", "32K", "0,4")
                .cache(0, 1, 1, "Instruction", "32K", "0,4")
                .cache(0, 2, 2, "Unified", "256K", "0,4")
                .cache(0, 3, 3, "Unified", "8192K", "0-7");
        DeviceInfo info = info();
        assertEquals("Intel(R) Core(TM) i7-7700 CPU @ 3.60GHz", info.name());
        assertEquals(
                Map.of("units", 6, "warp", 1, "llc", 8L << 20, "memory", 12_000_000L << 10, "vector_bits", 256),
                info.values());
        Map<String, Object> facts = info.facts();
        assertEquals("GenuineIntel", facts.get("vendor"));
        assertEquals(1, facts.get("sockets"));
        assertEquals(4, facts.get("cores"));
        assertEquals(8, facts.get("threads"));
        assertEquals(2.0, facts.get("threads_per_core"));
        assertEquals(true, facts.get("smt_active"));
        assertEquals(1, facts.get("numa_nodes"));
        assertEquals(List.of("sse4_2", "avx", "f16c", "avx2", "fma"), facts.get("isa"));
        assertEquals(
                Map.of("governor", "powersave", "min_hz", 800_000_000L, "max_hz", 4_200_000_000L, "turbo", true),
                facts.get("frequency"));
        assertEquals(16_000_000L << 10, facts.get("memory_installed"));
        assertEquals(0.52, facts.get("load_average_1min"));
        assertEquals("6.1.0-13-amd64", facts.get("kernel"));
        assertEquals("madvise", facts.get("transparent_hugepages"));
        assertEquals(
                List.of(
                        Map.of("level", 1, "type", "Data", "bytes", 32L << 10, "shared_by", 2),
                        Map.of("level", 1, "type", "Instruction", "bytes", 32L << 10, "shared_by", 2),
                        Map.of("level", 2, "type", "Unified", "bytes", 256L << 10, "shared_by", 2),
                        Map.of("level", 3, "type", "Unified", "bytes", 8L << 20, "shared_by", 8)),
                facts.get("caches"));
        assertFalse(facts.containsKey("hypervisor"));
        assertFalse(facts.containsKey("cpu_quota"));

        assertEquals(info.uuid(), info().uuid());
        assertTrue(info.uuid().matches("CPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), info.uuid());
        assertFalse(info.uuid().contains("01234567"), "the machine's id is private");
        machine.etc("machine-id", "another\n");
        assertNotEquals(info.uuid(), info().uuid());
    }

    /** Two sockets, each of two dies with a last-level cache of their own; this process may use three of the four. */
    @Test
    void anAmdServerWithTwoSocketsAndFourLastLevelCaches() throws IOException {
        StringBuilder cpuinfo = new StringBuilder();
        for (int cpu = 0; cpu < 16; cpu++) {
            cpuinfo.append("processor\t: ")
                    .append(cpu)
                    .append(
                            "\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 9354 32-Core Processor\nphysical id\t: ")
                    .append(cpu / 8)
                    .append("\ncore id\t: ")
                    .append(cpu % 8)
                    .append("\nflags\t: sse2 avx avx2 fma avx512f avx512_bf16 hypervisor\n\n");
            machine.cache(cpu, 0, 1, "Data", "32K", String.valueOf(cpu))
                    .cache(cpu, 3, 3, "Unified", "32768K", (cpu / 4 * 4) + "-" + (cpu / 4 * 4 + 3));
        }
        machine.proc("cpuinfo", cpuinfo.toString())
                .proc("self/status", "Cpus_allowed_list:\t0-3,8-15\n")
                .cpu("cpufreq/boost", "0\n")
                .cpu("smt/active", "0\n")
                .sys("class/dmi/id/sys_vendor", "QEMU\n")
                .sys("class/dmi/id/product_name", "Standard PC (Q35 + ICH9, 2009)\n")
                .sys("devices/system/node/node0/cpulist", "0-7\n")
                .sys("devices/system/node/node1/cpulist", "8-15\n");
        DeviceInfo info = info();
        assertEquals(Map.of("units", 6, "warp", 1, "llc", 3 * (32L << 20), "vector_bits", 512), info.values());
        assertEquals(2, info.facts().get("sockets"));
        assertEquals(16, info.facts().get("cores"));
        assertEquals(1.0, info.facts().get("threads_per_core"));
        assertEquals(false, info.facts().get("smt_active"));
        assertEquals(2, info.facts().get("numa_nodes"));
        assertEquals("QEMU Standard PC (Q35 + ICH9, 2009)", info.facts().get("hypervisor"));
        assertEquals(
                List.of("avx", "avx2", "fma", "avx512f", "avx512_bf16"),
                info.facts().get("isa"));
        assertEquals(Map.of("turbo", false), info.facts().get("frequency"));
    }

    @Test
    void anArmServerWithoutAModelName() throws IOException {
        StringBuilder cpuinfo = new StringBuilder();
        for (int cpu = 0; cpu < 4; cpu++) {
            cpuinfo.append("processor\t: ")
                    .append(cpu)
                    .append("\nBogoMIPS\t: 2100.00\nFeatures\t: fp asimd fphp asimdhp sve bf16 i8mm\n")
                    .append("CPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd40\n\n");
            machine.cpu("cpu" + cpu + "/topology/physical_package_id", "0\n")
                    .cpu("cpu" + cpu + "/topology/thread_siblings_list", cpu + "\n")
                    .cache(cpu, 0, 1, "Data", "64K", String.valueOf(cpu))
                    .cache(cpu, 3, 3, "Unified", "32768K", "0-3");
        }
        machine.proc("cpuinfo", cpuinfo.toString())
                .proc("sys/abi/sve_default_vector_length", "32\n")
                .cpu("online", "0-3\n");
        DeviceInfo info = info();
        assertEquals("ARM Neoverse-V1", info.name());
        assertEquals(Map.of("units", 6, "warp", 1, "llc", 32L << 20, "vector_bits", 256), info.values());
        assertEquals("ARM", info.facts().get("vendor"));
        assertEquals(1, info.facts().get("sockets"));
        assertEquals(4, info.facts().get("cores"));
        assertEquals(
                List.of("asimd", "fphp", "asimdhp", "sve", "bf16", "i8mm"),
                info.facts().get("isa"));
    }

    @Test
    void anArmBoardWithTwoKindsOfCoresOneUnknown() throws IOException {
        machine.proc("cpuinfo", """
                processor : 0
                Features : fp asimd
                CPU implementer : 0x41
                CPU part : 0xd05

                processor : 1
                Features : fp asimd
                CPU implementer : 0x41
                CPU part : 0xfff
                """);
        assertEquals("ARM Cortex-A55 + ARM part 0xfff", info().name());
        assertEquals(128, info().values().get("vector_bits"));
    }

    @Test
    void aContainerWithLimitsOfVersionTwo() throws IOException {
        machine.proc("meminfo", "MemTotal: 64000000 kB\nMemAvailable: 60000000 kB\n")
                .proc("self/cgroup", "0::/pod/container\n")
                .sys("fs/cgroup/pod/memory.max", "4294967296\n")
                .sys("fs/cgroup/pod/memory.current", "1073741824\n")
                .sys("fs/cgroup/pod/memory.stat", "anon 5\ninactive_file 536870912\n")
                .sys("fs/cgroup/pod/cpu.max", "250000 100000\n")
                .sys("fs/cgroup/pod/container/memory.max", "max\n")
                .sys("fs/cgroup/pod/container/cpu.max", "max 100000\n");
        // 4 GiB less 1 GiB in use, of which half a GiB is cached files that the kernel would drop.
        assertEquals((4L << 30) - (1L << 30) + (1L << 29), info().values().get("memory"));
        assertEquals(2.5, info().facts().get("cpu_quota"));
    }

    @Test
    void aContainerWithLimitsOfVersionOneMountedAtItsOwnRoot() throws IOException {
        machine.proc("meminfo", "MemAvailable: 60000000 kB\n")
                .proc("self/cgroup", "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n0::/\n")
                .sys("fs/cgroup/memory/memory.limit_in_bytes", "1000000000\n")
                .sys("fs/cgroup/memory/memory.usage_in_bytes", "400000000\n")
                .sys("fs/cgroup/cpu/cpu.cfs_quota_us", "150000\n")
                .sys("fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
        assertEquals(600_000_000L, info().values().get("memory"));
        assertEquals(1.5, info().facts().get("cpu_quota"));

        // How version 1 says that there is no limit.
        machine.sys("fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
                .sys("fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
        assertEquals(60_000_000L << 10, info().values().get("memory"));
        assertFalse(info().facts().containsKey("cpu_quota"));
    }

    @Test
    void listsOfProcessors() {
        assertEquals(
                IntStream.of(0, 1, 2, 3, 8, 10, 11).boxed().toList(),
                CpuList.parse("0-3,8,10-11\n").orElseThrow().stream().boxed().toList());
        for (String bad : List.of("", "a", "3-1", "-1", "1,,2", "0-99999999999")) {
            assertTrue(CpuList.parse(bad).isEmpty(), bad);
        }
    }
}
