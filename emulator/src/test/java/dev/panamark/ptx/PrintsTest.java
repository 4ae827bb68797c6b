package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What kernels print and assert, as nvcc compiles it from prints.cu; texts by hand from the rules of printf of C. */
class PrintsTest {
    private static final String FIRST = "thread 0 of 2:  0.00|ab    |0000bef0|-5000000000|x%\n";
    private static final String SECOND = "thread 1 of 2:  1.50|ab    |0000bef0|-5000000000|x%\n";

    private static String prints(LaunchOptions options, int threads) {
        try (Run run = new Run("prints.ptx", Texts.resource("prints.ptx"))) {
            byte[] parameters =
                    Parameters.of(run.module.kernel("prints")).add(1).bytes();
            return run.linked
                    .launch("prints", Extent.of(1), Extent.of(threads), 0, parameters, options)
                    .printed();
        }
    }

    /** All lanes print the first line before any prints the second. */
    @ParameterizedTest
    @EnumSource
    void isKeptWithTheResult(LaunchOptions.Engine engine) {
        LaunchOptions options = LaunchOptions.plain().engine(engine);
        String expected = FIRST + SECOND + "nothing\nnothing\n";
        assertEquals(expected, prints(options, 2));
        assertEquals(expected, prints(options.counting(true), 2));
    }

    @ParameterizedTest
    @EnumSource
    void isGivenToASink(LaunchOptions.Engine engine) {
        List<String> lines = new ArrayList<>();
        assertEquals("", prints(LaunchOptions.plain().engine(engine).printing(lines::add), 2));
        assertEquals(List.of(FIRST, SECOND, "nothing\n", "nothing\n"), lines);
    }

    /** 1,024 lines of 50 to 54 characters are more than are kept, and the rest is counted. */
    @ParameterizedTest
    @EnumSource
    void isKeptUpToALimit(LaunchOptions.Engine engine) {
        StringBuilder kept = new StringBuilder();
        try (Run run = new Run("prints.ptx", Texts.resource("prints.ptx"))) {
            byte[] parameters =
                    Parameters.of(run.module.kernel("prints")).add(1).bytes();
            LaunchOptions options = LaunchOptions.plain().engine(engine);
            run.linked.launch("prints", Extent.of(2), Extent.of(1024), 0, parameters, options.printing(kept::append));
            String printed = run.linked
                    .launch("prints", Extent.of(2), Extent.of(1024), 0, parameters, options)
                    .printed();
            assertEquals(
                    kept.substring(0, 65_536) + "\n[" + (kept.length() - 65_536)
                            + " characters more were printed and not kept]\n",
                    printed);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anAssertionThatFailsIsAFault(LaunchOptions.Engine engine) {
        try (Run run = new Run("prints.ptx", Texts.resource("prints.ptx"))) {
            long in = run.buffer(new int[] {1, 2, 3, 9, 5});
            LaunchOptions options = LaunchOptions.plain().engine(engine);
            run.launch("asserts", Extent.of(1), Extent.of(3), options, in);
            KernelFault fault = assertThrows(
                    KernelFault.class, () -> run.launch("asserts", Extent.of(1), Extent.of(5), options, in));
            assertEquals(KernelFault.Kind.TRAP, fault.kind());
            KernelFault.Place place = fault.place();
            assertNotNull(place);
            assertEquals(3, place.thread().x());
            assertTrue(
                    String.valueOf(fault.getMessage())
                            .contains(
                                    "assertion `in[threadIdx.x] < 7` failed at prints.cu:12 in void asserts(const int *)"),
                    fault.getMessage());
        }
    }
}
