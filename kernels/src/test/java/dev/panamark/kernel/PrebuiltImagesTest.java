package dev.panamark.kernel;

import static dev.panamark.kernel.KernelFiles.assertHas;
import static dev.panamark.kernel.KernelFiles.fault;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrebuiltImagesTest {
    private static final Path SOURCES = Path.of("src/main/resources", PrebuiltImages.ROOT);
    private static final Pattern FILE = Pattern.compile("(?m)^\\s*\\.file\\s+\\d+\\s+\"([^\"]*)\"");

    @TempDir
    Path dir;

    private static PrebuiltImage image(String arch, String... options) {
        return new PrebuiltImage(
                "a/b.cu",
                "5".repeat(64),
                List.of(options),
                arch,
                "release 13.0, V13.0.88",
                "a/b-" + arch + ".ptx",
                "7".repeat(64),
                "7.0",
                "11.0",
                Optional.empty());
    }

    private static PrebuiltImages of(PrebuiltImage... images) {
        return PrebuiltImages.parse(
                "index", PrebuiltImages.index(List.of(images)).getBytes(StandardCharsets.UTF_8));
    }

    private static String found(PrebuiltImages images, String arch, String... options) {
        return images.find("5".repeat(64), List.of(options), arch)
                .map(PrebuiltImage::arch)
                .orElse("none");
    }

    private static Map<String, String> hashes(Stream<? extends Record> images) {
        Map<String, String> hashes = new TreeMap<>();
        images.forEach(each -> {
            switch (each) {
                case PrebuiltImage i -> hashes.put(i.source() + " " + i.options(), i.sourceSha256());
                case DefaultImage i -> hashes.put(i.source() + " " + i.options(), i.sourceSha256());
                default -> throw new IllegalArgumentException(each.toString());
            }
        });
        return hashes;
    }

    @Test
    void theyAreMadeOfTheSourcesAsTheyAre() {
        Map<String, String> sources = hashes(DefaultImage.all(dir).stream());
        assertTrue(sources.size() > 1, sources::toString);
        assertEquals(
                sources,
                hashes(PrebuiltImages.load().all().stream()),
                "the prebuilt images are not of these sources: " + PrebuiltImages.REMEDY);
    }

    @Test
    void everyKernelFindsItsEntries() throws IOException {
        int checked = 0;
        for (Kernel kernel : Catalogue.builtin(dir).all()) {
            if (!kernel.hasImage("cuda")) {
                continue;
            }
            for (DeviceValues device : List.of(KernelFiles.H100, new DeviceValues("emu", KernelFiles.H100.values()))) {
                Instance instance = KernelFiles.ready(kernel, device);
                Image image = instance.image();
                String closure = SourceClosure.of(image.file(), image.options()).sha256();
                PrebuiltImage prebuilt = PrebuiltImages.load()
                        .find(closure, image.options(), "sm_90")
                        .orElseThrow(() -> new AssertionError(kernel + ": " + PrebuiltImages.REMEDY));
                String text = new String(prebuilt.bytes(), StandardCharsets.ISO_8859_1);
                for (Step step : instance.steps()) {
                    if (step instanceof Step.Launch launch) {
                        assertHas(text, ".entry " + launch.entry() + "(");
                        checked++;
                    }
                }
            }
        }
        assertTrue(checked > 0);
    }

    @Test
    void textsAreForTheVersionAndArchitectureOfTheIndexAndNameNoMachinesPath() {
        for (PrebuiltImage image : PrebuiltImages.load().all()) {
            String text = new String(image.bytes(), StandardCharsets.ISO_8859_1);
            assertHas(text, "\n.version " + image.ptx() + "\n", "\n.target " + image.arch() + "\n");
            Matcher file = FILE.matcher(text);
            assertTrue(file.find(), image.file());
            do {
                assertFalse(file.group(1).startsWith("/"), file.group());
            } while (file.find());
        }
    }

    @Test
    void theFolderHoldsWhatTheIndexListsAndNoMore() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            assertEquals(
                    PrebuiltImages.load().all().stream()
                            .map(PrebuiltImage::file)
                            .sorted()
                            .toList(),
                    files.filter(f -> f.toString().endsWith(".ptx"))
                            .map(f -> SOURCES.relativize(f).toString())
                            .sorted()
                            .toList());
        }
    }

    @Test
    void aCopyOfASourceFindsItsImageAndAChangedHeaderDoesNot() throws IOException {
        DefaultImage image = DefaultImage.all(dir).stream()
                .filter(i -> i.source().equals("kv/gather_paged.cu"))
                .findFirst()
                .orElseThrow();
        Path copy = Files.createDirectories(dir.resolve("mine/k")).resolve("gather.cu");
        Files.copy(image.file(), copy);
        Path header = dir.resolve("mine/panamark_cuda.cuh");
        Files.copy(image.file().resolveSibling("../panamark_cuda.cuh"), header);
        PrebuiltImages images = PrebuiltImages.load();
        String same = SourceClosure.of(copy, image.options()).sha256();
        assertTrue(images.find(same, image.options(), "sm_80").isPresent());
        Files.writeString(header, Files.readString(header) + "\n");
        String other = SourceClosure.of(copy, image.options()).sha256();
        assertTrue(images.find(other, image.options(), "sm_80").isEmpty());
    }

    /** PTX runs on newer architectures than its own, that of sm_90a on no other (CUDA C++ programming guide). */
    @Test
    void theNewestThatRunsIsTaken() {
        PrebuiltImages images = of(image("sm_80"), image("sm_90a"), image("sm_86"), image("sm_100"));
        assertEquals("none", found(images, "sm_75"));
        assertEquals("sm_80", found(images, "sm_80"));
        assertEquals("sm_86", found(images, "sm_89"));
        assertEquals("sm_86", found(images, "sm_90"));
        assertEquals("sm_90a", found(images, "sm_90a"));
        assertEquals("sm_100", found(images, "sm_120"));
        assertEquals("none", found(images, "gfx942"));
    }

    @Test
    void optionsAndTheirOrderCount() {
        PrebuiltImages images = of(image("sm_80", "-DA=1", "-DB=\"x\\y\""));
        assertEquals("sm_80", found(images, "sm_80", "-DA=1", "-DB=\"x\\y\""));
        assertEquals("none", found(images, "sm_80", "-DB=\"x\\y\"", "-DA=1"));
        assertEquals("none", found(images, "sm_80", "-DA=1"));
        assertTrue(images.find("6".repeat(64), images.all().getFirst().options(), "sm_80")
                .isEmpty());
    }

    @Test
    void anIndexComesBackAsItWasWritten() {
        PrebuiltImage known = new PrebuiltImage(
                "x.cu", "1", List.of(), "sm_80", "release 1", "x.ptx", "2", "9.0", "13.0", Optional.of("580.65.06"));
        assertEquals(
                List.of(image("sm_80", "-DA"), known),
                of(image("sm_80", "-DA"), known).all());
    }

    @Test
    void faultsOfAnIndexAreNamed() {
        assertHas(
                fault(() -> PrebuiltImages.parse(
                        "index", "format: other/1\nimages: []\n".getBytes(StandardCharsets.UTF_8))),
                "index:1: format: ",
                PrebuiltImages.FORMAT);
        assertHas(
                fault(() -> PrebuiltImages.parse(
                        "index",
                        "format: panamark.prebuilt/1\nimages: [{source: a}]\n".getBytes(StandardCharsets.UTF_8))),
                "index:2: images[0].source_sha256: is missing");
        assertHas(fault(() -> image("sm_80").bytes()), "panamark-kernels/prebuilt/a/b-sm_80.ptx: is missing");
        PrebuiltImage real = PrebuiltImages.load().all().getFirst();
        PrebuiltImage wrong = new PrebuiltImage(
                real.source(),
                real.sourceSha256(),
                real.options(),
                real.arch(),
                real.compiler(),
                real.file(),
                "7".repeat(64),
                real.ptx(),
                real.cuda(),
                real.driver());
        assertHas(fault(wrong::bytes), "has sha256 " + real.sha256(), "scripts/build-kernels");
    }
}
