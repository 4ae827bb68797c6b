package dev.panamark.driver.hip;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class HipFunctionTest {
    private static final Path SYMBOLS = Path.of("src/main/java/dev/panamark/raw/hip/symbols.txt");

    /** A function is either called by a wrapper or not generated. The header has the plain name only for 5.x's layout. */
    @Test
    void whatIsGeneratedIsWhatIsUsed() throws IOException {
        List<String> generated = Files.readAllLines(SYMBOLS).stream()
                .filter(line -> line.startsWith("function "))
                .map(line -> line.substring("function ".length()).strip())
                .sorted()
                .toList();
        List<String> used = Arrays.stream(HipFunction.values())
                .map(f -> f == HipFunction.GET_DEVICE_PROPERTIES ? "hipGetDevicePropertiesR0000" : f.symbol())
                .sorted()
                .toList();
        assertEquals(generated, used);
    }
}
