package dev.panamark.device.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Expected figures are the vendors' datasheet figures, and claims in circulation that are known to be wrong. */
class DeviceProfilesTest {
    private static final DeviceProfiles ALL = DeviceProfiles.shipped();

    private static DeviceProfile profile(String name) {
        return ALL.named(name).orElseThrow(() -> new AssertionError("no " + name));
    }

    private static double value(Figure f) {
        Double value = f.value();
        assertNotNull(value, () -> String.valueOf(f.reason()));
        return value;
    }

    /**
     * FLOP per clock and unit, times units, times the clock that the class has, against the published peak. A clock that
     * was computed from a peak proves nothing about that peak, so that one is left out.
     */
    @Test
    void rateTimesUnitsTimesClockIsThePublishedPeak() {
        List<String> checked = new ArrayList<>();
        for (DeviceProfile p : ALL.all()) {
            p.peaks().forEach((operation, published) -> {
                Figure computed = p.computedPeak(operation);
                Figure clock = p.clock(operation);
                boolean circular =
                        clock.computed() && String.valueOf(clock.source()).contains(" " + operation + " ");
                if (published.value() == null || computed.value() == null || circular) {
                    return;
                }
                double off = Math.abs(value(computed) / published.value() - 1);
                String what = p.name() + " " + operation + ": " + computed + " against " + published;
                if (published.rounded()) {
                    assertTrue(off > 0.005 && off < 0.02, what);
                } else {
                    assertTrue(off <= 0.005, what);
                    checked.add(p.name() + " " + operation);
                }
            });
        }
        assertTrue(checked.size() >= 80, checked.size() + " of them");
        for (DeviceProfile p : ALL.all()) {
            boolean unknown = p.units().value() == null;
            assertEquals(!unknown, checked.stream().anyMatch(c -> c.startsWith(p.name() + " ")), p.name());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "a100-sxm-80, tensor_bf16, 312e12",
        "h100-sxm, tensor_f16, 989.4e12",
        "h100-sxm, tensor_f8, 1978.9e12",
        "h100-sxm, fma_f32, 66.9e12",
        "h100-pcie, tensor_bf16, 756e12",
        "b200, tensor_f4, 9000e12",
        "rtx-4090, tensor_f16, 165.2e12",
        "l40s, tensor_bf16, 362.05e12",
        "mi250x, tensor_f16, 383e12",
        "mi300x, tensor_bf16, 1307.4e12",
        "mi300x, tensor_e4m3fnuz, 2614.9e12",
        "mi355x, tensor_f4, 10066e12"
    })
    void aPeakIsTheDatasheets(String name, String operation, double want) {
        Figure peak = profile(name).peak(operation);
        assertEquals(want, value(peak), want * 1e-12);
        assertTrue(!peak.computed() && peak.source() != null, peak::toString);
    }

    /** MI350X: AMD's table was not read for these; 256 CUs x 2200 MHz x 4096, 8192, 16384. */
    @ParameterizedTest
    @CsvSource({"tensor_bf16, 2306.9", "tensor_f8, 4613.7", "tensor_f4, 9227.5"})
    void whatWasNotReadIsComputedAndMarked(String operation, double tera) {
        Figure peak = profile("mi350x").peak(operation);
        assertEquals(tera * 1e12, value(peak), 0.05e12);
        assertTrue(peak.computed(), peak::toString);
        assertTrue(String.valueOf(peak.source()).contains("256 CUs x 2200.0 MHz"), peak::toString);
    }

    /** 132 SMs at 1980 MHz would be 1070.5 TFLOP/s, and utilisation would look 7.6 % lower than it is. */
    @Test
    void hoppersTensorPeaksAreAtTheirOwnClock() {
        DeviceProfile h100 = profile("h100-sxm");
        assertEquals(1830e6, value(h100.clock("tensor_bf16")));
        assertEquals(1980e6, value(h100.clock("fma_f32")));
        Figure trap = h100.peakAt("tensor_bf16", h100.units(), h100.clock("fma_f32"));
        assertEquals(1070.5e12, value(trap), 0.1e12);
        assertEquals(989.4e12, value(h100.computedPeak("tensor_bf16")), 0.1e12);
        // 756 TFLOP/s over 114 SMs x 4096.
        assertEquals(1619e6, value(profile("h100-pcie").clock("tensor_f8")), 1e6);
        assertTrue(profile("h100-pcie").clock("tensor_f8").computed());
        assertEquals(2490e6, value(profile("l40s").clock("tensor_bf16")), 1e6);
        assertEquals(2520e6, value(profile("l40s").clock("tensor_f8")));
    }

    private static void everyFigure(DeviceProfile p, java.util.function.BiConsumer<String, Figure> see) {
        see.accept("units", p.units());
        see.accept("bandwidth", p.bandwidth());
        see.accept("l2", p.l2());
        see.accept("llc", p.llc());
        see.accept("power", p.power());
        see.accept("link", p.link());
        p.clocks().forEach(see);
        p.peaks().forEach(see);
        p.architecture().rates().forEach(see);
        p.architecture().limits().forEach(see);
    }

    @Test
    void noFigureIsWithoutASource() {
        for (DeviceProfile p : ALL.all()) {
            everyFigure(p, (name, f) -> {
                String what = p.name() + " " + name + " " + f;
                if (f.value() == null) {
                    assertTrue(f.reason() != null && f.reason().length() > 10, what);
                    assertNull(f.source(), what);
                } else {
                    assertTrue(f.source() != null && f.source().length() > 10, what);
                }
            });
        }
    }

    /** Claims in circulation that sources refute: each as its owner would have it stand here. */
    @ParameterizedTest
    @CsvSource({
        "mi300x, tensor_f16, 380e12",
        "mi300x, tensor_f16, 383e12",
        "mi300x, bandwidth, 3.2e12",
        "mi300x, tensor_f8, 1628e12",
        "mi300x, l2, 4194304",
        "h100-nvl, bandwidth, 3.35e12",
        "a100-sxm-40, tensor_f8, 624e12",
        "a100-sxm-80, tensor_f8, 624e12",
        "h100-sxm, tensor_f16, 133e12",
        "h100-sxm, tensor_f8, 263e12",
        "h100-sxm, tensor_i4, 4000e12",
        "h100-sxm, tensor, 1980e6",
        "h200-sxm, tensor_f8, 3940e12",
        "h200-sxm, tensor_bf16, 1970e12",
        "b200, tensor_f8, 9000e12",
        "b200, l2, 68681728",
        "mi355x, fma_f32, 2520e12",
        "mi355x, tensor_f8, 10066e12",
        "mi355x, llc, 67108864",
        "rtx-4090, tensor_f16, 661e12",
        "rtx-4090, tensor_f8, 1321e12"
    })
    void wrongFiguresInCirculationAreNotHere(String name, String figure, double wrong) {
        DeviceProfile p = profile(name);
        Figure here = switch (figure) {
            case "bandwidth" -> p.bandwidth();
            case "l2" -> p.l2();
            case "llc" -> p.llc();
            case "tensor" -> Objects.requireNonNull(p.clocks().get("tensor"));
            default -> p.peak(figure);
        };
        if (here.value() == null) {
            assertNotNull(here.reason());
        } else {
            assertTrue(Math.abs(here.value() / wrong - 1) > 0.02, p.name() + " " + figure + " is " + here);
        }
    }

    /** What is right instead, of the rows above whose figure is known. */
    @Test
    void theRightFiguresAreHere() {
        assertEquals(5.3e12, value(profile("mi300x").bandwidth()));
        assertEquals(32 << 20, value(profile("mi300x").l2()));
        assertEquals(256 << 20, value(profile("mi300x").llc()));
        assertEquals(256 << 20, value(profile("mi355x").llc()));
        assertEquals(3.9e12, value(profile("h100-nvl").bandwidth()));
        assertEquals(126 << 20, value(profile("b200").l2()));
        assertEquals("A100 has no FP8", profile("a100").peak("tensor_e4m3").reason());
        assertEquals(50 << 20, value(profile("h100").llc()));
    }

    @ParameterizedTest
    @CsvSource({
        "NVIDIA H100 80GB HBM3, h100-sxm",
        "NVIDIA H100 PCIe, h100-pcie",
        "NVIDIA H100 NVL, h100-nvl",
        "NVIDIA A100-SXM4-80GB, a100-sxm-80",
        "NVIDIA A100-SXM4-40GB, a100-sxm-40",
        "NVIDIA GeForce RTX 4090, rtx-4090",
        "NVIDIA L4, l4",
        "NVIDIA L40S, l40s",
        "AMD Instinct MI300X, mi300x",
        "NVIDIA GeForce RTX 4090 Laptop GPU, ",
        "NVIDIA GeForce RTX 4090 D, ",
        "NVIDIA L40, ",
        "NVIDIA H200 NVL, ",
        "NVIDIA A100-PCIE-40GB, ",
        "NVIDIA GB200, ",
        "AMD Instinct MI300A, "
    })
    void aDriversNameFindsItsProfileAndNoOther(String driver, String want) {
        assertEquals(Optional.ofNullable(want), ALL.ofDriverName(driver).map(DeviceProfile::name));
    }

    @Test
    void idsAndAliasesFindProfiles() {
        assertEquals("h100-sxm", ALL.ofPci(0x10de, 0x2330).orElseThrow().name());
        assertEquals("mi300x", ALL.ofPci(0x1002, 0x74a1).orElseThrow().name());
        assertTrue(ALL.ofPci(0x10de, 0x2685).isEmpty(), "the 4090 D");
        assertEquals("h100-sxm", profile("H100").name());
        assertEquals("gh200-96", profile("gh200").name());
        assertTrue(ALL.named("h1000").isEmpty());
        assertEquals(18, ALL.all().size());
    }

    /** Limits of the tuning guides and of CDNA's documents. */
    @ParameterizedTest
    @CsvSource({
        "h100, shared_per_unit, 233472",
        "h100, shared_per_block, 232448",
        "a100, shared_per_block, 166912",
        "rtx-4090, threads, 1536",
        "rtx-4090, blocks, 24",
        "b200, warps, 64",
        "mi300x, shared_per_unit, 65536",
        "mi300x, banks, 32",
        "mi355x, shared_per_unit, 163840",
        "mi355x, banks, 64",
        "mi250x, warp_width, 64"
    })
    void limitsAreThoseOfTheGuides(String name, String limit, double want) {
        Figure f = profile(name).architecture().limits().get(limit);
        assertNotNull(f);
        assertEquals(want, value(f));
    }

    @Test
    void whatIsNotKnownSaysSo() {
        Figure none = profile("l4").computedPeak("tensor_bf16");
        assertNull(none.value());
        assertEquals("SMs: no source read; the driver tells", none.reason());
        assertEquals(
                "no rate of fma_f64 is known for gh100",
                profile("h100").architecture().rate("fma_f64").reason());
        assertTrue(String.valueOf(profile("h100").peak("tensor_i4").reason()).contains("lists no INT4"));
        assertThrows(IllegalArgumentException.class, () -> Figure.published(0, "W", "somebody"));
        assertThrows(IllegalArgumentException.class, () -> Figure.published(1, "W", " "));
        assertThrows(IllegalArgumentException.class, () -> new Figure(1.0, "W", null, false, false, "why"));
    }

    private static String data() throws Exception {
        try (InputStream in = Objects.requireNonNull(DeviceProfiles.class.getResourceAsStream("profiles.yaml"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "units: 132|units: -132|units",
                "units: 132|units: many|units",
                "units: 132|unite: 132|unite",
                "source: HT|source: HTT|HTT",
                "{value: 1980, source: ME}|{value: 1980}|clock.max.source",
                "{value: 1980, source: ME}|{value: 1980, source: ME, none: x}|clock.max",
                "architecture: gh100|architecture: gh101|gh101",
                "aliases: [h200]|aliases: [h100]|h100",
                "aliases: [h200]|aliases: [H200]|H200",
                "pci: [10de:2330]|pci: [10de:23]|10de:23",
                "bandwidth: 3350|width: 3350|width",
                "fma_f32: 66.9|f32: 66.9|peak.f32",
                "{computed: tensor_bf16}|{computed: tensor_f4}|tensor_f4",
                "format: panamark.profiles/1|format: panamark.profiles/2|format",
                "banks: {none: \"no source read; 32 is the convention\"}|x: 1|limits.x",
                "devices: 2|devices: 0|devices",
                "profiles:|profiles: [|YAML"
            })
    void wrongDataIsRefusedByField(String from, String to, String part) throws Exception {
        String right = data();
        String wrong = right.replace(from, to);
        assertTrue(!right.equals(wrong), "the test replaces " + from);
        String message = String.valueOf(assertThrows(ProfileDataException.class, () -> DeviceProfiles.of(wrong))
                .getMessage());
        assertTrue(message.contains(part), message);
    }

    @Test
    void jsonHoldsTheSame() throws Exception {
        JsonNode root = new ObjectMapper().readTree(ProfileJson.render(ALL.all()));
        assertEquals("panamark.profiles/1", root.path("schema").asText());
        assertEquals(18, root.path("profiles").size());
        for (JsonNode p : root.path("profiles")) {
            DeviceProfile want = profile(p.path("name").asText());
            Map<String, Figure> figures = Map.of("units", want.units(), "bandwidth", want.bandwidth(), "l2", want.l2());
            figures.forEach((name, f) -> {
                if (f.value() == null) {
                    assertTrue(p.path(name).path("value").isNull());
                    assertEquals(f.reason(), p.path(name).path("reason").asText());
                } else {
                    assertEquals(f.value(), p.path(name).path("value").asDouble());
                    assertEquals(f.source(), p.path(name).path("source").asText());
                }
            });
            want.architecture()
                    .rates()
                    .keySet()
                    .forEach(op -> assertEquals(
                            Optional.ofNullable(want.peak(op).value()).orElse(0.0),
                            p.path("peak").path(op).path("value").asDouble(),
                            op));
        }
    }
}
