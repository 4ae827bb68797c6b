package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.provider.Arguments;

/** Bodies that leave a word in {@code %r0}, and what it must be. */
final class HandValues {
    private static final String STORE = "\nmov.u32 %r79, %tid.x;\nmul.wide.u32 %rd58, %r79, 4;\n"
            + "add.s64 %rd59, %rd0, %rd58;\nst.global.u32 [%rd59], %r0;";

    private HandValues() {}

    /** One value for every lane, or 32, lane after lane. */
    static Arguments gives(String body, int... expected) {
        return Arguments.of(body, expected);
    }

    /** An instruction on {@code %h1}, which has these bits. */
    static String of16(String bits, String instruction) {
        return "mov.b16 %h1, 0x" + bits + ";\n" + instruction;
    }

    static String of32(String bits, String instruction) {
        return "mov.b32 %f1, 0x" + bits + ";\n" + instruction;
    }

    static String of64(String bits, String instruction) {
        return "mov.b64 %d1, 0x" + bits + ";\n" + instruction;
    }

    /** What a predicate is, as 0 or 1. */
    static String predicate(String instruction) {
        return instruction + "\nselp.u32 %r0, 1, 0, %p1;";
    }

    /** Runs one warp with both engines; 128 bytes from {@code %rd0+128} on are the body's. */
    static void check(String body, int[] expected) {
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            try (Run run = new Run("k.ptx", Texts.kernel(1, body + STORE))) {
                long out = run.buffer(256);
                run.launch(
                        "k", Extent.of(1), Extent.of(32), LaunchOptions.plain().engine(engine), out);
                int[] got = run.ints(out, 32);
                for (int lane = 0; lane < 32; lane++) {
                    assertEquals(
                            hex(expected[expected.length == 1 ? 0 : lane]),
                            hex(got[lane]),
                            engine + ", lane " + lane + ", " + body);
                }
            }
        }
    }

    private static String hex(int word) {
        return "0x" + Integer.toHexString(word);
    }
}
