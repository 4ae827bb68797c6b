package dev.panamark.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.compile.Sha256;
import dev.panamark.driver.compile.Subprocess;
import dev.panamark.driver.host.HostCompiler;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.PaddingLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every size, offset and value of the generated bindings, compared with what a C compiler makes of the headers. */
class AbiTest {
    private static final Path PROBE = Path.of("../native-build/abi/probe.c");

    /**
     * jextract does not see alignas: memory for a tensor map is aligned by whoever allocates it. Nor does it see bit fields,
     * of which hipDeviceArch_t consists; it is used only within the properties of a device, whose fields' offsets agree.
     */
    private static final Map<String, Long> ALIGNED =
            Map.of("alignment struct CUtensorMap_st", 128L, "alignment hipDeviceArch_t", 4L);

    /** Variables that name a header where the toolkit's is none of those that the bindings were made of. */
    private static final Map<String, String> OWN_HEADER =
            Map.of("nvml", "NVML_HEADER", "nvrtc", "NVRTC_HEADER", "rocmsmi", "ROCM_SMI_HEADER");

    /** Libraries whose headers are no part of a toolkit of CUDA: a variable names their folder. */
    private static final Map<String, String> OWN_FOLDER = Map.of("hip", "HIP_HEADERS", "hiprtc", "HIP_HEADERS");

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"cuda", "nvml", "cupti", "nvrtc", "rocmsmi", "hip", "hiprtc"})
    void theCompilerAgrees(String library) throws Exception {
        SymbolList symbols = new SymbolList(library);
        Path headers = headers(symbols);
        Map<String, Long> expected = new TreeMap<>();
        StringBuilder facts = new StringBuilder();
        for (String kind : List.of("struct", "union", "typedef")) {
            for (String name : symbols.names(kind)) {
                GroupLayout layout =
                        (GroupLayout) symbols.type(name).getMethod("layout").invoke(null);
                String type = symbols.cType(name);
                facts.append("STRUCTURE(" + type + ")\n");
                expected.put("size " + type, layout.byteSize());
                expected.put("alignment " + type, layout.byteAlignment());
                for (Field field : fields(layout, layout, "", List.of())) {
                    facts.append("FIELD(" + type + ", " + field.path() + ")\n");
                    expected.put("offset " + type + " " + field.path(), field.offset());
                    expected.put("width " + type + " " + field.path(), field.width());
                }
            }
        }
        for (String name : symbols.names("constant")) {
            facts.append("CONSTANT(" + name + ")\n");
            expected.put("value " + name, symbols.value(name));
        }
        assertTrue(
                expected.size() > symbols.names("constant").size() || library.endsWith("rtc"),
                "no structures were compared");
        expected.replaceAll((fact, value) -> ALIGNED.getOrDefault(fact, value));
        Map<String, Long> measured = measured(symbols, headers, facts.toString());
        assertEquals(expected.keySet(), measured.keySet());
        assertEquals(List.of(), differences(expected, measured));
    }

    /** CUPTI refuses a structSize that is sizeof where the header's macro is less; the figures are the header's own. */
    @Test
    void aStructSizeIsNotAlwaysSizeof() throws Exception {
        SymbolList cupti = new SymbolList("cupti");
        assertEquals(90, cupti.value("CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE"));
        assertEquals(96, size(cupti, "CUpti_RangeProfiler_SetConfig_Params"));
        assertEquals(41, cupti.value("CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE"));
        assertEquals(48, size(cupti, "CUpti_RangeProfiler_Stop_Params"));
    }

    /** Sizes that the CUDA 13.0 header was measured to have; the tensor map's alignment is what cuTensorMapEncodeTiled asks. */
    @Test
    void figuresOfTheLaunchStructures() throws Exception {
        SymbolList cuda = new SymbolList("cuda");
        assertEquals(56, size(cuda, "CUlaunchConfig_st"));
        assertEquals(72, size(cuda, "CUlaunchAttribute_st"));
        assertEquals(16, size(cuda, "CUuuid_st"));
        assertEquals(128, size(cuda, "CUtensorMap_st"));
    }

    /** What 5.2 and 6.2 headers were measured to have: whoever reads one layout by the other finds nonsense. */
    @Test
    void theTwoLayoutsOfDeviceProperties() throws Exception {
        SymbolList hip = new SymbolList("hip");
        assertEquals(1472, size(hip, "hipDeviceProp_tR0600"));
        assertEquals(792, size(hip, "hipDeviceProp_tR0000"));
        PathElement arch = PathElement.groupElement("gcnArchName");
        assertEquals(1160, layout(hip, "hipDeviceProp_tR0600").byteOffset(arch));
        assertEquals(396, layout(hip, "hipDeviceProp_tR0000").byteOffset(arch));
    }

    private static long size(SymbolList symbols, String name) throws ReflectiveOperationException {
        return layout(symbols, name).byteSize();
    }

    private static MemoryLayout layout(SymbolList symbols, String name) throws ReflectiveOperationException {
        return (MemoryLayout) symbols.type(name).getMethod("layout").invoke(null);
    }

    private record Field(String path, long offset, long width) {}

    private static List<Field> fields(GroupLayout root, GroupLayout group, String path, List<PathElement> steps) {
        List<Field> found = new ArrayList<>();
        for (MemoryLayout member : group.memberLayouts()) {
            if (member instanceof PaddingLayout) {
                continue;
            }
            String name = member.name().orElseThrow();
            List<PathElement> to = new ArrayList<>(steps);
            to.add(PathElement.groupElement(name));
            String full = path.isEmpty() ? name : path + "." + name;
            found.add(new Field(full, root.byteOffset(to.toArray(PathElement[]::new)), member.byteSize()));
            if (member instanceof GroupLayout inner) {
                found.addAll(fields(root, inner, full, to));
            }
        }
        return found;
    }

    private static List<String> differences(Map<String, Long> expected, Map<String, Long> measured) {
        return expected.entrySet().stream()
                .filter(f -> !f.getValue().equals(measured.get(f.getKey())))
                .map(f -> f.getKey() + ": the bindings have " + f.getValue() + ", C has " + measured.get(f.getKey()))
                .toList();
    }

    /** The folder with the very headers that the bindings were made of; the test is skipped where it is not there. */
    private static Path headers(SymbolList symbols) throws IOException {
        Map<String, String> env = System.getenv();
        Path toolkit = Path.of(env.getOrDefault("CUDA_HOME", "/usr/local/cuda"), "include");
        String variable = OWN_HEADER.getOrDefault(symbols.library(), "CUDA_HOME");
        Path include = toolkit;
        if (env.containsKey(variable) && !variable.equals("CUDA_HOME")) {
            // As many folders up as the name that it is included by has parts.
            include = Path.of(env.get(variable)).toAbsolutePath();
            for (int i = Path.of(symbols.names("header").getFirst()).getNameCount(); i > 0; i--) {
                include = include.resolveSibling("");
            }
        }
        String set = variable.equals("CUDA_HOME") ? "CUDA_HOME to the toolkit that has it" : variable + " to it";
        String folder = OWN_FOLDER.get(symbols.library());
        if (folder != null) {
            include = Path.of(env.getOrDefault(folder, "/opt/rocm/include"));
            set = folder + " to the folder that has it";
        }
        for (String header : symbols.names("header")) {
            Path file = include.resolve(header);
            Assumptions.assumeTrue(Files.isReadable(file), "no " + header + " on this machine; set " + set);
            Assumptions.assumeTrue(
                    Sha256.of(file).equals(symbols.sha256(header)),
                    header + " on this machine is not the one that the bindings were made of");
        }
        return include;
    }

    private Map<String, Long> measured(SymbolList symbols, Path headers, String facts) throws Exception {
        HostCompiler compiler = switch (HostCompiler.find(System.getenv())) {
            case Availability.Available<HostCompiler>(HostCompiler found) -> found;
            case Availability.Unavailable<HostCompiler> none ->
                Assumptions.abort("no C compiler on this machine: " + none.text());
        };
        Files.writeString(
                folder.resolve("headers.inc"),
                symbols.names("header").stream()
                        .map(h -> "#include <" + h + ">\n")
                        .collect(Collectors.joining()));
        Files.writeString(folder.resolve("facts.inc"), facts);
        Files.createFile(folder.resolve("string")); // a header of C++ that a header of CUPTI includes and does not use
        List<String> call = new ArrayList<>(List.of(compiler.path().toString(), "-std=c11", "-o", "probe"));
        symbols.names("define").forEach(name -> call.add("-D" + name));
        call.addAll(
                List.of("-I" + folder, "-I" + headers, PROBE.toAbsolutePath().toString()));
        Subprocess subprocess = new Subprocess(System.getenv(), Duration.ofMinutes(1));
        Subprocess.Ended compiled = subprocess.run(call, folder, "");
        assertTrue(compiled.ok(), compiled.err());
        Subprocess.Ended ran = subprocess.run(List.of(folder.resolve("probe").toString()), folder, "");
        assertTrue(ran.ok(), ran.err());
        Map<String, Long> found = new TreeMap<>();
        ran.out().lines().forEach(line -> {
            int end = line.lastIndexOf(' ');
            found.put(line.substring(0, end), Long.valueOf(line.substring(end + 1)));
        });
        return found;
    }
}
