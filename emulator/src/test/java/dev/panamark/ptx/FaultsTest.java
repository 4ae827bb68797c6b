package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a kernel does wrong ends the launch and is named. */
class FaultsTest {
    private static final String ADDRESS_OF_THREAD =
            "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 4;\nadd.s64 %rd2, %rd0, %rd1;\n";

    private static KernelFault fault(LaunchOptions options, int threads, String body) {
        try (Run run = new Run("k.ptx", Texts.kernel(1, body))) {
            long buffer = run.buffer(256);
            return assertThrows(
                    KernelFault.class,
                    () -> run.launch(
                            "k", Extent.of(3), Extent.of(threads), options.time(Duration.ofSeconds(30)), buffer));
        }
    }

    private static KernelFault fault(LaunchOptions.Engine engine, int threads, String body) {
        return fault(LaunchOptions.plain().engine(engine), threads, body);
    }

    private static int line(String body, String of) {
        String text = Texts.kernel(1, body);
        return (int) text.substring(0, text.indexOf(of)).lines().count() + 1;
    }

    @ParameterizedTest
    @EnumSource
    void anAccessBeyondItsAllocation(LaunchOptions.Engine engine) {
        String body = ADDRESS_OF_THREAD + "st.global.u32 [%rd2], %r1;";
        KernelFault fault = fault(engine, 96, body);
        assertEquals(KernelFault.Kind.OUT_OF_BOUNDS, fault.kind());
        KernelFault.Place place = fault.place();
        assertNotNull(place);
        assertEquals("k", place.kernel());
        assertEquals(line(body, "st.global"), place.line());
        assertEquals(new Extent(0, 0, 0), place.block());
        assertEquals(Extent.of(64).x(), place.thread().x());
        assertTrue(
                String.valueOf(fault.getMessage()).contains("0 bytes after the end of the allocation of 256 bytes"),
                fault.getMessage());
    }

    @ParameterizedTest
    @EnumSource
    void aNullPointer(LaunchOptions.Engine engine) {
        KernelFault fault =
                fault(engine, 32, "mov.u64 %rd1, 0;\nld.global.u32 %r1, [%rd1+8];\nst.global.u32 [%rd0], %r1;");
        assertEquals(KernelFault.Kind.OUT_OF_BOUNDS, fault.kind());
        assertNotNull(fault.place());
        assertEquals(8L, fault.place().address());
    }

    @ParameterizedTest
    @EnumSource
    void aMisalignedAccess(LaunchOptions.Engine engine) {
        KernelFault fault = fault(engine, 32, "ld.global.v2.u32 {%r1, %r2}, [%rd0+4];\nst.global.u32 [%rd0], %r1;");
        assertEquals(KernelFault.Kind.MISALIGNED, fault.kind());
    }

    @ParameterizedTest
    @EnumSource
    void sharedMemoryIsLeft(LaunchOptions.Engine engine) {
        String body = ".shared .align 4 .b8 s[64];\nmov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, s;\n"
                + "add.s32 %r4, %r3, %r2;\nst.shared.u32 [%r4], %r1;";
        KernelFault fault = fault(engine, 32, body);
        assertEquals(KernelFault.Kind.OUT_OF_BOUNDS, fault.kind());
        assertNotNull(fault.place());
        assertEquals(16, fault.place().thread().x());
        assertEquals(64L, fault.place().address());
        assertEquals(line(body, "st.shared"), fault.place().line());
    }

    @ParameterizedTest
    @EnumSource
    void sharedMemoryIsMisaligned(LaunchOptions.Engine engine) {
        String body =
                ".shared .align 4 .b8 s[64];\nmov.u32 %r1, s;\nadd.s32 %r2, %r1, 2;\nld.shared.u32 %r3, [%r2+4];\n"
                        + "st.global.u32 [%rd0], %r3;";
        KernelFault fault = fault(engine, 32, body);
        assertEquals(KernelFault.Kind.MISALIGNED, fault.kind());
        assertNotNull(fault.place());
        assertEquals(6L, fault.place().address());
    }

    @ParameterizedTest
    @EnumSource
    void aTrap(LaunchOptions.Engine engine) {
        KernelFault fault = fault(engine, 32, "mov.u32 %r1, %laneid;\nsetp.eq.u32 %p1, %r1, 7;\n@%p1 trap;");
        assertEquals(KernelFault.Kind.TRAP, fault.kind());
        assertNotNull(fault.place());
        assertEquals(7, fault.place().thread().x());
    }

    @ParameterizedTest
    @EnumSource
    void aDeadlockNamesTheLines(LaunchOptions.Engine engine) {
        String body =
                "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra A;\nbar.sync 1;\nbra B;\nA:\nbar.sync 2;\nB:";
        KernelFault fault = fault(engine, 64, body);
        assertEquals(KernelFault.Kind.DEADLOCK, fault.kind());
        assertTrue(String.valueOf(fault.getMessage()).contains("line " + line(body, "bar.sync 1")), fault.getMessage());
        assertTrue(String.valueOf(fault.getMessage()).contains("line " + line(body, "bar.sync 2")), fault.getMessage());
    }

    @ParameterizedTest
    @EnumSource
    void aShuffleByALaneThatItsMaskDoesNotName(LaunchOptions.Engine engine) {
        KernelFault fault = fault(engine, 32, "mov.u32 %r1, 1;\nshfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffff;");
        assertEquals(KernelFault.Kind.UNDEFINED, fault.kind());
        assertNotNull(fault.place());
        assertEquals(16, fault.place().thread().x());
    }

    @ParameterizedTest
    @EnumSource
    void aLoopWithoutEndRunsIntoTheBudget(LaunchOptions.Engine engine) {
        LaunchOptions options = LaunchOptions.plain().engine(engine).instructions(1_000_000);
        assertEquals(KernelFault.Kind.BUDGET, fault(options, 32, "A:\nbra A;").kind());
    }

    @ParameterizedTest
    @EnumSource
    void aLoopWithoutEndRunsIntoTheDeadline(LaunchOptions.Engine engine) {
        try (Run run = new Run("k.ptx", Texts.kernel(0, "A:\nbra A;"))) {
            LaunchOptions options = LaunchOptions.plain()
                    .engine(engine)
                    .time(Duration.ofMillis(50))
                    .threads(2);
            KernelFault fault =
                    assertThrows(KernelFault.class, () -> run.launch("k", Extent.of(4), Extent.of(64), options));
            assertEquals(KernelFault.Kind.DEADLINE, fault.kind());
        }
    }
}
