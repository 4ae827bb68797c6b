package dev.panamark.driver.cupti;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CuptiFunctionTest {
    private static final Path SYMBOLS = Path.of("src/main/java/dev/panamark/raw/cupti/symbols.txt");

    @Test
    void whatIsUsedIsGenerated() throws IOException {
        Set<String> generated = new TreeSet<>(Files.readAllLines(SYMBOLS).stream()
                .filter(line -> line.startsWith("function "))
                .map(line -> line.substring("function ".length()).strip())
                .toList());
        List<String> used =
                Arrays.stream(CuptiFunction.values()).map(CuptiFunction::symbol).toList();
        assertEquals(new TreeSet<>(used).size(), used.size(), "two entries are of one function");
        assertTrue(generated.containsAll(used), used::toString);
    }

    static Stream<CuptiFunction> withStructures() {
        return Arrays.stream(CuptiFunction.values()).filter(f -> f.size() > 0);
    }

    /** So that one invoker serves all. */
    @ParameterizedTest
    @MethodSource("withStructures")
    void itTakesOneStructure(CuptiFunction function) throws ReflectiveOperationException {
        assertEquals(
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS).toMethodType(),
                ((FunctionDescriptor) Class.forName("dev.panamark.raw.cupti.PFN_" + function.symbol())
                                .getMethod("descriptor")
                                .invoke(null))
                        .toMethodType());
    }

    /** CUPTI_PROFILER_STRUCT_SIZE of the header: where the last field ends, with no padding behind it. */
    @ParameterizedTest
    @MethodSource("withStructures")
    void itsSizeIsWhereTheLastFieldEnds(CuptiFunction function) {
        StructLayout layout = (StructLayout) function.layout();
        MemoryLayout last = layout.memberLayouts().stream()
                .filter(member -> !(member instanceof PaddingLayout))
                .reduce((_, next) -> next)
                .orElseThrow();
        long offset = layout.byteOffset(PathElement.groupElement(last.name().orElseThrow()));
        assertEquals(offset + last.byteSize(), function.size());
    }

    @Test
    void itIsNotAlwaysSizeof() {
        assertEquals(
                List.of(
                        CuptiFunction.PROFILER_DEVICE_SUPPORTED,
                        CuptiFunction.HOST_GET_METRIC_PROPERTIES,
                        CuptiFunction.RANGE_PROFILER_SET_CONFIG,
                        CuptiFunction.RANGE_PROFILER_STOP),
                withStructures().filter(f -> f.size() != f.layout().byteSize()).toList());
    }

    /** One setter fills in size and object of every structure. */
    @ParameterizedTest
    @MethodSource("withStructures")
    void sizeAndObjectLieWhereTheyAlwaysDo(CuptiFunction function) {
        StructLayout layout = (StructLayout) function.layout();
        assertEquals(0, layout.byteOffset(PathElement.groupElement("structSize")));
        for (MemoryLayout member : layout.memberLayouts()) {
            String name = member.name().orElse("");
            boolean isObject = name.equals("pHostObject") || name.equals("pRangeProfilerObject");
            boolean isMade =
                    function == CuptiFunction.HOST_INITIALIZE || function == CuptiFunction.RANGE_PROFILER_ENABLE;
            if (isObject && !isMade) {
                assertEquals(16, layout.byteOffset(PathElement.groupElement(name)));
            }
        }
    }
}
