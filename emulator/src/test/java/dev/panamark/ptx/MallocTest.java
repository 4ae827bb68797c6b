package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** malloc and free of kernels, called as nvcc does; expected values by hand. */
class MallocTest {
    private static final int THREADS = 64;

    private static final String DECLARED = """
            .version 8.0
            .target sm_80
            .address_size 64
            .extern .func (.param .b64 r) malloc (.param .b64 a);
            .extern .func free (.param .b64 a);
            """;

    /** Each thread's slot of 8 bytes at p. */
    private static String kernel(String name, String body) {
        return ".visible .entry " + name
                + "(.param .u64 p)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %q<2>;\n"
                + "ld.param.u64 %rd0, [p];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd1, %r0, 8;\nadd.s64 %rd1, %rd0, %rd1;\n"
                + body + "ret;\n}\n";
    }

    private static final String FREE = "{\n.param .b64 a;\nst.param.b64 [a], %rd2;\ncall.uni free, (a);\n}\n";

    private static String allocate(String bytes) {
        return "{\n.param .b64 a;\n.param .b64 r;\nst.param.b64 [a], " + bytes
                + ";\ncall.uni (r), malloc, (a);\nld.param.b64 %rd2, [r];\n}\n";
    }

    /** A third of the threads allocate nothing, as a branch around the call says. */
    private static final String TEXT = DECLARED
            + kernel(
                    "take",
                    "rem.u32 %r1, %r0, 3;\nsetp.eq.u32 %q0, %r1, 0;\nmov.u64 %rd2, 0;\n@%q0 bra E;\n" + allocate("16")
                            + "st.u32 [%rd2+12], %r0;\nE:\nst.global.u64 [%rd1], %rd2;\n")
            + kernel(
                    "give",
                    "ld.global.u64 %rd2, [%rd1];\nmov.u32 %r2, 1000;\nsetp.eq.u64 %q0, %rd2, 0;\n"
                            + "@!%q0 ld.u32 %r2, [%rd2+12];\n" + FREE + "st.global.u32 [%rd1], %r2;\n")
            + kernel("huge", allocate("0x4000000000000000") + "st.global.u64 [%rd1], %rd2;\n")
            + kernel("foreign", "mov.u64 %rd2, 4096;\n" + FREE);

    @ParameterizedTest
    @EnumSource
    void outlivesTheLaunch(LaunchOptions.Engine engine) {
        LaunchOptions options = LaunchOptions.plain().engine(engine);
        try (Run run = new Run("malloc.ptx", TEXT)) {
            long slots = run.buffer(8L * THREADS);
            run.launch("take", Extent.of(1), Extent.of(THREADS), options, slots);
            int[] taken = run.ints(slots, 2 * THREADS);
            assertEquals(
                    42,
                    IntStream.range(0, THREADS)
                            .mapToLong(t -> ((long) taken[2 * t + 1] << 32) | (taken[2 * t] & 0xffffffffL))
                            .filter(address -> address != 0)
                            .distinct()
                            .count());
            run.launch("give", Extent.of(1), Extent.of(THREADS), options, slots);
            int[] read = run.ints(slots, 2 * THREADS);
            assertArrayEquals(
                    IntStream.range(0, THREADS).map(t -> t % 3 == 0 ? 1000 : t).toArray(),
                    IntStream.range(0, THREADS).map(t -> read[2 * t]).toArray());
        }
    }

    @ParameterizedTest
    @EnumSource
    void moreThanThereIsGivesNull(LaunchOptions.Engine engine) {
        try (Run run = new Run("malloc.ptx", TEXT)) {
            long slots = run.buffer(8L * THREADS);
            run.launch("huge", Extent.of(1), Extent.of(1), LaunchOptions.plain().engine(engine), slots);
            assertArrayEquals(new int[] {0, 0}, run.ints(slots, 2));
        }
    }

    @ParameterizedTest
    @EnumSource
    void onlyWhatWasAllocatedIsFreed(LaunchOptions.Engine engine) {
        try (Run run = new Run("malloc.ptx", TEXT)) {
            long slots = run.buffer(8L * THREADS);
            LaunchOptions options = LaunchOptions.plain().engine(engine);
            KernelFault fault = assertThrows(
                    KernelFault.class, () -> run.launch("foreign", Extent.of(1), Extent.of(1), options, slots));
            assertEquals(KernelFault.Kind.UNDEFINED, fault.kind());
            assertTrue(String.valueOf(fault.getMessage()).contains("free of 0x1000"), fault.getMessage());
        }
    }

    /** What else has no body is refused as what is not emulated, by its name. */
    @Test
    void otherFunctionsWithoutABodyAreRefused() {
        String text = DECLARED + ".extern .func (.param .b32 r) cudaGraphLaunchX (.param .b64 a);\n"
                + kernel(
                        "k",
                        "{\n.param .b64 a;\n.param .b32 r;\nst.param.b64 [a], %rd0;\ncall.uni (r), cudaGraphLaunchX, (a);\n}\n");
        PtxException refusal = assertThrows(PtxException.class, () -> PtxModule.load("k.ptx", text));
        assertTrue(refusal.isUnsupported());
        assertTrue(String.valueOf(refusal.getMessage()).contains("call of cudaGraphLaunchX"), refusal.getMessage());
    }
}
