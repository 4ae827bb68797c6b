package dev.panamark.driver.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CudaFunctionTest {
    private static final Path SYMBOLS = Path.of("src/main/java/dev/panamark/raw/cuda/symbols.txt");

    /** A function is either called by a wrapper or not generated. */
    @Test
    void whatIsGeneratedIsWhatIsUsed() throws IOException {
        List<String> generated = Files.readAllLines(SYMBOLS).stream()
                .filter(line -> line.startsWith("function "))
                .map(line -> line.substring("function ".length()).strip())
                .sorted()
                .toList();
        List<String> used = Arrays.stream(CudaFunction.values())
                .flatMap(f -> f.symbols().stream())
                .sorted()
                .toList();
        assertEquals(new TreeSet<>(used).size(), used.size(), "a symbol belongs to two functions");
        assertEquals(generated, used);
    }

    /** Names of one function are called in one way. */
    @ParameterizedTest
    @EnumSource
    void allSymbolsHaveTheSameParameters(CudaFunction function) throws ReflectiveOperationException {
        FunctionDescriptor first = descriptor(function.symbols().getFirst());
        for (String symbol : function.symbols()) {
            assertEquals(first, descriptor(symbol), symbol);
        }
    }

    private static FunctionDescriptor descriptor(String symbol) throws ReflectiveOperationException {
        return (FunctionDescriptor) Class.forName("dev.panamark.raw.cuda.PFN_" + symbol)
                .getMethod("descriptor")
                .invoke(null);
    }

    /** Sizes and addresses have 64 bits: without {@code _v2} these are functions of CUDA 2.0. */
    @Test
    void noOldAbiIsAmongThem() {
        for (CudaFunction function : List.of(
                CudaFunction.MEM_ALLOC,
                CudaFunction.MEM_FREE,
                CudaFunction.MEM_GET_INFO,
                CudaFunction.MEMCPY_HTOD,
                CudaFunction.MEMCPY_DTOH,
                CudaFunction.MEMCPY_DTOD,
                CudaFunction.MEMSET_D8,
                CudaFunction.MEMSET_D32,
                CudaFunction.MODULE_GET_GLOBAL,
                CudaFunction.DEVICE_TOTAL_MEM)) {
            assertEquals(List.of(function.documented() + "_v2"), function.symbols());
        }
    }
}
