package dev.panamark.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;

class DevicesTableTest {
    /** By hand. */
    @Test
    void aSmallList() {
        SequencedMap<String, String> facts = new LinkedHashMap<>();
        facts.put("cores", "2");
        facts.put("L3", "32 MiB");
        List<DeviceView> devices = List.of(
                new DeviceView("cpu:0", "Example CPU 9000", "available", facts),
                new DeviceView(
                        "cuda",
                        "",
                        "libcuda.so.1 was not found. Install the NVIDIA driver, then run panamark doctor.",
                        new LinkedHashMap<>()),
                new DeviceView("hip:1", "Example GPU", "busy", new LinkedHashMap<>()));
        assertEquals("""
                cpu:0  Example CPU 9000: available
                    cores 2 · L3 32 MiB
                cuda   libcuda.so.1 was not found. Install the NVIDIA
                       driver, then run panamark doctor.
                hip:1  Example GPU: busy
                """, DevicesTable.render(devices, 60, false));
        assertEquals("No devices.\n", DevicesTable.render(List.of(), 60, true));
    }

    @Test
    void noLineIsEverWider() {
        List<DeviceView> devices = List.of(new DeviceView(
                "d".repeat(200),
                "\u65e5".repeat(100),
                "s ".repeat(100),
                new LinkedHashMap<>(java.util.Map.of("k", "v".repeat(300)))));
        for (int width = 60; width <= 120; width += 13) {
            String text = DevicesTable.render(devices, width, false);
            int most = width;
            assertTrue(text.lines().allMatch(l -> Text.width(l) <= most), text);
            assertTrue(text.replaceAll("\\s", "").contains("v".repeat(300)), text);
        }
    }
}
