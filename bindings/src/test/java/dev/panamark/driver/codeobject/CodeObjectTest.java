package dev.panamark.driver.codeobject;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.compile.Programs;
import dev.panamark.driver.fake.FakeLibrary;
import dev.panamark.driver.fake.HipKernels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CodeObjectTest {
    /** What {@code llvm-readelf --notes} writes of the metadata, reduced to the lines that a record has. */
    private static List<String> told(Path file) {
        Path readelf = List.of("llvm-readelf-22", "llvm-readelf").stream()
                .flatMap(name -> Programs.find(name, System.getenv()).stream())
                .findFirst()
                .orElseGet(() -> Assumptions.abort("no llvm-readelf-22 on this machine, which reads notes too"));
        String notes = FakeLibrary.run(List.of(readelf.toString(), "--notes", file.toString()), Map.of());
        List<String> wanted = List.of(
                ".offset",
                ".size",
                ".value_kind",
                ".name",
                ".symbol",
                ".vgpr_count",
                ".agpr_count",
                ".sgpr_count",
                ".vgpr_spill_count",
                ".sgpr_spill_count",
                ".group_segment_fixed_size",
                ".private_segment_fixed_size",
                ".kernarg_segment_size",
                ".max_flat_workgroup_size",
                ".wavefront_size");
        return notes.lines()
                .map(line -> line.replace("- ", "  ").strip().replaceAll(":\\s+", ": "))
                .filter(line -> wanted.contains(line.split(":", 2)[0]))
                .sorted()
                .toList();
    }

    private static List<String> read(CodeObject code) {
        List<String> lines = new ArrayList<>();
        for (KernelMetadata k : code.kernels()) {
            lines.addAll(List.of(
                    ".name: " + k.name(),
                    ".symbol: " + k.symbol(),
                    ".vgpr_count: " + k.vgprs(),
                    ".sgpr_count: " + k.sgprs(),
                    ".group_segment_fixed_size: " + k.ldsBytes(),
                    ".private_segment_fixed_size: " + k.scratchBytes(),
                    ".kernarg_segment_size: " + k.kernargBytes(),
                    ".max_flat_workgroup_size: " + k.maxWorkItems(),
                    ".wavefront_size: " + k.wavefront()));
            k.agprs().ifPresent(n -> lines.add(".agpr_count: " + n));
            k.vgprSpills().ifPresent(n -> lines.add(".vgpr_spill_count: " + n));
            k.sgprSpills().ifPresent(n -> lines.add(".sgpr_spill_count: " + n));
            for (KernelArgument a : k.arguments()) {
                lines.addAll(List.of(".offset: " + a.offset(), ".size: " + a.size(), ".value_kind: " + a.valueKind()));
            }
        }
        return lines.stream().sorted().toList();
    }

    private static String refusal(Executable reading) {
        return String.valueOf(assertThrows(CodeObjectException.class, reading).getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"gfx90a", "gfx942", "gfx950"})
    void itTellsWhatLlvmsReaderTells(String target) {
        byte[] bytes = HipKernels.bytes(target);
        assertTrue(CodeObject.isCodeObject(bytes));
        CodeObject code = CodeObject.read(bytes);
        assertEquals(target, code.target());
        assertEquals(5, code.version());
        assertEquals(told(HipKernels.code(target).file()), read(code));
    }

    /** By hand, from the source: two pointers and two numbers of four bytes; 256 floats of LDS and 256 work-items. */
    @Test
    void itTellsWhatTheSourceSays() {
        CodeObject code = CodeObject.read(HipKernels.bytes("gfx90a"));
        KernelMetadata saxpy = code.kernel("saxpy").orElseThrow();
        assertEquals(
                List.of(
                        new KernelArgument(0, 8, "global_buffer"),
                        new KernelArgument(8, 8, "global_buffer"),
                        new KernelArgument(16, 4, "by_value"),
                        new KernelArgument(20, 4, "by_value")),
                saxpy.givenArguments());
        assertTrue(saxpy.arguments().size() > 4, "blockDim takes hidden arguments");
        assertEquals("saxpy.kd", saxpy.symbol());
        assertEquals(64, saxpy.wavefront());
        assertEquals(OptionalInt.of(0), saxpy.vgprSpills());
        KernelMetadata sums = code.kernel("block_sums").orElseThrow();
        assertEquals(1024, sums.ldsBytes());
        assertEquals(256, sums.maxWorkItems());
        assertTrue(code.kernel("scaling").isEmpty(), "a variable is no kernel");
    }

    @Test
    void whatIsNoCodeObjectIsRefused() {
        assertFalse(CodeObject.isCodeObject("\177ELF".getBytes(StandardCharsets.US_ASCII)));
        assertEquals(
                "no code object: expected an ELF file for machine 224 (EM_AMDGPU)",
                refusal(() -> CodeObject.read(new byte[100])));
        byte[] ofHost = new byte[64];
        System.arraycopy(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1, 0}, 0, ofHost, 0, 8);
        ofHost[18] = (byte) 224;
        assertEquals(
                "no code object for ROCm: class 2, data 1, OS 0; expected 2 (64 bits), 1 (little endian), 64 (AMD HSA)",
                refusal(() -> CodeObject.read(ofHost)));
        ofHost[7] = 64;
        assertTrue(refusal(() -> CodeObject.read(ofHost)).startsWith("the code object has no metadata note"));
    }

    /** Whatever the bytes are, it is read or refused in words: no other exception, no loop, no memory beyond the file's. */
    @Test
    void damageIsRefusedInWords() {
        byte[] whole = HipKernels.bytes("gfx942");
        Random random = new Random(7);
        int refused = 0;
        for (int round = 0; round < 20_000; round++) {
            byte[] damaged = round % 2 == 0 ? whole.clone() : Arrays.copyOf(whole, random.nextInt(whole.length));
            for (int i = random.nextInt(8); i >= 0 && damaged.length > 0; i--) {
                // Mostly within headers and the note, which begins where the headers end.
                damaged[random.nextInt(Math.min(damaged.length, 0x1200))] = (byte) random.nextInt();
            }
            try {
                CodeObject.read(damaged);
            } catch (CodeObjectException e) {
                refused++;
                assertFalse(String.valueOf(e.getMessage()).isEmpty());
            }
        }
        assertTrue(refused > 10_000, String.format(Locale.ROOT, "only %d of 20,000 were refused", refused));
    }

    @Test
    void aBundleGivesTheEntryOfADevice() {
        byte[] first = {1, 2, 3};
        byte[] second = {4, 5};
        byte[] bundle = Bundles.of(List.of(
                Map.entry("host-x86_64-unknown-linux-gnu-", new byte[0]),
                Map.entry("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", first),
                Map.entry("hipv4-amdgcn-amd-amdhsa--gfx942", second)));
        assertTrue(OffloadBundle.isBundle(bundle));
        OffloadBundle read = OffloadBundle.read(bundle);
        assertEquals(
                List.of("", "gfx90a:xnack-", "gfx942"),
                read.entries().stream().map(OffloadBundle.Entry::target).toList());
        assertTrue(
                Arrays.equals(first, read.code(bundle, "gfx90a:sramecc+:xnack-").orElseThrow()));
        assertTrue(Arrays.equals(
                second, read.code(bundle, "gfx942:sramecc+:xnack-").orElseThrow()));
        assertTrue(read.code(bundle, "gfx90a:sramecc+:xnack+").isEmpty(), "a feature that the code names differs");
        assertTrue(read.code(bundle, "gfx950:sramecc+:xnack-").isEmpty());
    }

    @Test
    void damagedAndCompressedBundlesAreRefusedInWords() {
        byte[] whole = Bundles.of(List.of(Map.entry("hipv4-amdgcn-amd-amdhsa--gfx942", new byte[] {1, 2, 3})));
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThrows(CodeObjectException.class, () -> OffloadBundle.read(cut), "cut to " + length);
        }
        byte[] many = whole.clone();
        Arrays.fill(many, 24, 32, (byte) 0x7f);
        assertTrue(refusal(() -> OffloadBundle.read(many)).contains("entries do not fit"));
        byte[] compressed = "CCOB....".getBytes(StandardCharsets.US_ASCII);
        assertTrue(OffloadBundle.isBundle(compressed));
        assertTrue(refusal(() -> OffloadBundle.read(compressed)).contains("--no-offload-compress"));
    }

    /** What clang itself makes of one source for two targets. */
    @Test
    void clangsOwnBundleIsRead(@TempDir Path folder) throws Exception {
        Path out = folder.resolve("bundle.hipfb");
        List<String> call = new ArrayList<>(List.of(
                HipKernels.compiler().path().toString(),
                "-x",
                "hip",
                "--cuda-device-only",
                "--gpu-bundle-output",
                "--no-offload-compress",
                "--offload-arch=gfx90a",
                "--offload-arch=gfx942",
                "-nogpuinc",
                "-nogpulib",
                "-O3"));
        call.addAll(HipKernels.options());
        call.addAll(List.of(HipKernels.SOURCE.toString(), "-o", out.toString()));
        FakeLibrary.run(call, Map.of());
        byte[] bytes = Files.readAllBytes(out);
        OffloadBundle bundle = OffloadBundle.read(bytes);
        byte[] code = bundle.code(bytes, "gfx942:sramecc+:xnack-").orElseThrow();
        assertEquals("gfx942", CodeObject.read(code).target());
    }
}
