package dev.panamark.driver.nvml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NvmlFunctionTest {
    private static final Path SYMBOLS = Path.of("src/main/java/dev/panamark/raw/nvml/symbols.txt");

    @Test
    void whatIsUsedIsGenerated() throws IOException {
        Set<String> generated = new TreeSet<>(Files.readAllLines(SYMBOLS).stream()
                .filter(line -> line.startsWith("function "))
                .map(line -> line.substring("function ".length()).strip())
                .toList());
        List<String> used = Arrays.stream(NvmlFunction.values())
                .flatMap(f -> f.symbols().stream())
                .toList();
        assertEquals(new TreeSet<>(used).size(), used.size(), "a symbol belongs to two functions");
        assertTrue(generated.containsAll(used), used::toString);
    }

    /** Names of one function are called in one way. */
    @ParameterizedTest
    @EnumSource
    void allSymbolsHaveTheSameParameters(NvmlFunction function) throws ReflectiveOperationException {
        FunctionDescriptor first = descriptor(function.symbols().getFirst());
        for (String symbol : function.symbols()) {
            assertEquals(first, descriptor(symbol), symbol);
        }
    }

    private static FunctionDescriptor descriptor(String symbol) throws ReflectiveOperationException {
        return (FunctionDescriptor) Class.forName("dev.panamark.raw.nvml.PFN_" + symbol)
                .getMethod("descriptor")
                .invoke(null);
    }

    /** Without their suffix these are functions with older structures, or that find fewer devices (nvml.h). */
    @Test
    void noOldAbiIsAmongThem() {
        assertEquals(List.of("nvmlInit_v2"), NvmlFunction.INIT.symbols());
        assertEquals(List.of("nvmlDeviceGetCount_v2"), NvmlFunction.DEVICE_GET_COUNT.symbols());
        assertEquals(List.of("nvmlDeviceGetPciInfo_v3"), NvmlFunction.DEVICE_GET_PCI_INFO.symbols());
        assertEquals(
                List.of("nvmlDeviceGetComputeRunningProcesses_v3"),
                NvmlFunction.DEVICE_GET_COMPUTE_RUNNING_PROCESSES.symbols());
    }
}
