package dev.panamark.driver.cupti;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.cuda.FakeDriver;
import dev.panamark.ffi.Availability;
import dev.panamark.ffi.LibrarySearch.Candidate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Finding CUPTI, and one that is too old for the range profiler. */
class CuptiTest {
    @TempDir
    Path folder;

    @Test
    void theUsualPlacesAreLookedAtInTheirOrder() throws IOException {
        Path lib = Files.createDirectories(folder.resolve("chosen/lib64"));
        for (String name : List.of("libcupti.so", "libcupti.so.12", "libcupti.so.13")) {
            Files.createFile(lib.resolve(name));
        }
        Path usual = folder.resolve("usr/local/cuda");
        assertEquals(
                Stream.of(
                                "libcupti.so.13",
                                "libcupti.so.12",
                                folder.resolve("chosen/extras/CUPTI/lib64/libcupti.so"),
                                lib.resolve("libcupti.so.13"),
                                folder.resolve("chosen/targets/x86_64-linux/lib/libcupti.so"),
                                folder.resolve("chosen/targets/sbsa-linux/lib/libcupti.so"),
                                usual.resolve("extras/CUPTI/lib64/libcupti.so"),
                                usual.resolve("lib64/libcupti.so"),
                                usual.resolve("targets/x86_64-linux/lib/libcupti.so"),
                                usual.resolve("targets/sbsa-linux/lib/libcupti.so"))
                        .map(Object::toString)
                        .toList(),
                CuptiPlaces.usual(Map.of("CUDA_HOME", folder.resolve("chosen").toString()), folder).stream()
                        .map(Candidate::name)
                        .toList());
    }

    @Test
    void aFileThatIsNotThereIsAnAbsenceWithARemedy() {
        String file = folder.resolve("libcupti.so.13").toString();
        Availability.Unavailable<?> none =
                assertInstanceOf(Availability.Unavailable.class, Cupti.find(Map.of(Cupti.VARIABLE, file)));
        assertEquals(List.of("PANAMARK_CUPTI=" + file + " is not there"), none.reasons());
        assertTrue(none.remedy().contains("apt-get install cuda-cupti-13-0"), none.remedy());
        assertTrue(none.remedy().endsWith("or unset PANAMARK_CUPTI to search the usual places"), none.remedy());
    }

    @Test
    void anotherLibraryIsNoCupti() {
        Availability.Unavailable<?> none =
                assertInstanceOf(Availability.Unavailable.class, Cupti.find(Map.of(Cupti.VARIABLE, "libm.so.6")));
        assertTrue(
                none.reasons().getFirst().endsWith("libm.so.6 has no cuptiGetVersion, so it is no CUPTI"), none.text());
    }

    @Test
    void versionsAreWrittenAsTheHeaderCountsThem() {
        assertEquals("13.0.1", new CuptiVersion(130001).toString());
        assertEquals("13.2.0", new CuptiVersion(130200).toString());
        assertEquals("of API version 24", new CuptiVersion(24).toString());
    }

    @Test
    void aLibraryTellsItsVersionFileAndChips() {
        FakeDriver fake = FakeDriver.current();
        fake.reset("device h100-sxm\ndevice a100-sxm-80\ndevice h100-sxm\ndevice rtx-4090\nchip GB202\n");
        Cupti cupti = CuptiBench.find(fake);
        assertEquals(new CuptiVersion(130000), cupti.version());
        assertEquals(fake.file().resolveSibling("libcupti.so.13").toString(), cupti.file());
        assertEquals(List.of("GH100", "GA100", "GB202"), cupti.chips());
    }

    /** The manual has the range profiler begin with CUDA 12.6 Update 2. */
    @Test
    void anOldLibraryLacksTheRangeProfilerAndSaysWhatIsNeeded() {
        FakeDriver fake = FakeDriver.ofRelease(11020);
        Cupti cupti = CuptiBench.find(fake);
        assertEquals(new CuptiVersion(15), cupti.version());
        String reason = "CUPTI of API version 15 (" + cupti.file()
                + ") has no cuptiRangeProfilerEnable, which came with CUDA 12.6 Update 2";
        Availability.Unavailable<?> none =
                assertInstanceOf(Availability.Unavailable.class, cupti.has(CuptiFunction.RANGE_PROFILER_ENABLE));
        assertEquals(List.of(reason), none.reasons());
        assertTrue(none.remedy().startsWith("Install CUPTI of CUDA 12.6 Update 2 or newer"), none.remedy());
        MissingCuptiFunctionException e = assertThrows(MissingCuptiFunctionException.class, cupti::chips);
        assertEquals(CuptiFunction.HOST_GET_SUPPORTED_CHIPS, e.function());
        assertEquals(
                Availability.of(CuptiFunction.DEVICE_GET_CHIP_NAME), cupti.has(CuptiFunction.DEVICE_GET_CHIP_NAME));
    }
}
