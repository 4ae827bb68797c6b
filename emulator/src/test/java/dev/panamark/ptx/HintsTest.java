package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Hints do nothing that can be seen; branches and calls through tables go where the table says. */
class HintsTest {
    private static final String STORE = "\nmul.wide.u32 %rd50, %r1, 4;\nadd.s64 %rd51, %rd0, %rd50;\n"
            + "st.global.L1::no_allocate.u32 [%rd51], %r0;";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd1, 0f3F800000;",
                "createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %rd1, [%rd0], 64, 128;",
                "createpolicy.cvt.L2.b64 %rd1, 0x10F0000000000000;",
                "mov.u64 %rd1, 0;ld.global.L1::evict_last.L2::cache_hint.L2::128B.u32 %r7, [%rd0], %rd1;",
                "mov.u64 %rd1, 0;st.global.L2::cache_hint.u32 [%rd0+256], %r1, %rd1;",
                "prefetch.global.L1 [%rd0];",
                "prefetch.global.L2::evict_normal [%rd0];",
                "prefetch.L2 [%rd0+4096];",
                "prefetchu.L1 [%rd0];",
                "applypriority.global.L2::evict_normal [%rd0], 128;",
                "discard.global.L2 [%rd0], 128;",
                "griddepcontrol.launch_dependents;griddepcontrol.wait;",
                "nanosleep.u32 %r1;",
            })
    void changeNothing(String hint) {
        String body =
                "mov.u32 %r1, %tid.x;\nld.global.nc.u32 %r0, [%rd0];\n" + hint + "\nadd.u32 %r0, %r0, %r1;" + STORE;
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            try (Run run = new Run("k.ptx", Texts.kernel(1, body))) {
                long out = run.buffer(512);
                run.launch(
                        "k", Extent.of(1), Extent.of(32), LaunchOptions.plain().engine(engine), out);
                assertArrayEquals(IntStream.range(0, 32).toArray(), run.ints(out, 32), engine + " " + hint);
            }
        }
    }

    private static final String INDEXED = "mov.u32 %r1, %tid.x;\nT: .branchtargets A, B, C, A;\n"
            + "brx.idx %r1, T;\nA:\nmov.u32 %r0, 10;\nbra.uni E;\nB:\nmov.u32 %r0, 20;\nbra.uni E;\n"
            + "C:\nmov.u32 %r0, 30;\nE:" + STORE;

    @ParameterizedTest
    @EnumSource
    void indexedBranchesGoToTheirTargets(LaunchOptions.Engine engine) {
        try (Run run = new Run("k.ptx", Texts.kernel(1, INDEXED))) {
            long out = run.buffer(64);
            LaunchOptions options = LaunchOptions.plain().engine(engine);
            run.launch("k", Extent.of(1), Extent.of(4), options, out);
            assertArrayEquals(new int[] {10, 20, 30, 10}, run.ints(out, 4));
            KernelFault fault =
                    assertThrows(KernelFault.class, () -> run.launch("k", Extent.of(1), Extent.of(5), options, out));
            assertEquals(KernelFault.Kind.TRAP, fault.kind());
            assertTrue(String.valueOf(fault.getMessage()).contains("beyond the 4 targets"), fault.getMessage());
        }
    }

    /** Through a list of targets and through a prototype. */
    @ParameterizedTest
    @ValueSource(strings = {"L: .calltargets more, less;", "L: .callprototype (.param .b32 _) _ (.param .b32 _);"})
    void callsGoWhereTheirAddressSays(String list) {
        String functions = """
                .func (.param .b32 r) more(.param .b32 x)
                {
                .reg .b32 v;
                ld.param.b32 v, [x];
                add.s32 v, v, 100;
                st.param.b32 [r], v;
                ret;
                }
                .func (.param .b32 r) less(.param .b32 x)
                {
                .reg .b32 v;
                ld.param.b32 v, [x];
                sub.s32 v, v, 100;
                st.param.b32 [r], v;
                ret;
                }
                """;
        String body = "mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 1;\nmov.u64 %rd1, more;\n"
                + "mov.u64 %rd2, less;\nselp.b64 %rd3, %rd1, %rd2, %p1;\n" + list
                + "\n{.param .b32 x; .param .b32 r; st.param.b32 [x], %r1; call (r), %rd3, (x), L; ld.param.b32 %r0, [r];}"
                + STORE;
        String text = Texts.kernel(1, body).replace(".visible .entry", functions + ".visible .entry");
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            try (Run run = new Run("k.ptx", text)) {
                long out = run.buffer(128);
                run.launch(
                        "k", Extent.of(1), Extent.of(32), LaunchOptions.plain().engine(engine), out);
                int[] expected = IntStream.range(0, 32)
                        .map(t -> t % 2 == 1 ? t + 100 : t - 100)
                        .toArray();
                assertArrayEquals(expected, run.ints(out, 32), engine + " " + list);
            }
        }
    }
}
