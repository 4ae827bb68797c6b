package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Device functions whose parameters are registers. */
class FormalsTest {
    private static String text(String function, String call) {
        return Texts.kernel(1, call).replace(".visible .entry", function + "\n.visible .entry");
    }

    @ParameterizedTest
    @EnumSource
    void holdWhatIsGivenAndWhatComesBack(LaunchOptions.Engine engine) {
        String text = text(
                ".func (.reg .b32 out) f(.reg .b32 a, .reg .b64 b)\n{\n.reg .b32 c;\ncvt.u32.u64 c, b;\n"
                        + "mad.lo.s32 out, a, 100, c;\nret;\n}",
                "mov.u32 %r1, 7;\nmov.u64 %rd1, 5;\ncall (%r2), f, (%r1, %rd1);\nst.global.u32 [%rd0], %r2;");
        try (Run run = new Run("k.ptx", text)) {
            long out = run.buffer(4);
            run.launch("k", Extent.of(1), Extent.of(1), LaunchOptions.plain().engine(engine), out);
            assertEquals(705, run.ints(out, 1)[0]);
        }
    }

    /** The function begins at line 4. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "(.reg .b32 out) f(.reg .b32 a, .reg .b32 a); (%r2), f, (%r1, %r1)",
                "(.reg .b32 out) f(.reg .v2 .b32 a); (%r2), f, (%r1)",
                "(.reg .b32 out) f(.reg .b32 a<4>); (%r2), f, (%r1)",
                "(.reg .b32 out) f(.reg .b128 a); (%r2), f, (%r1)",
                "(.reg .v2 .b32 out) f(.reg .b32 a); (%r2), f, (%r1)",
                "(.reg .b32 a) f(.reg .b32 a); (%r2), f, (%r1)",
            })
    void areSingleRegistersOfDifferentNames(String signature, String call) {
        String text = text(".func " + signature + "\n{\nret;\n}", "mov.u32 %r1, 7;\ncall " + call + ";");
        PtxException refusal = assertThrows(PtxException.class, () -> PtxModule.load("k.ptx", text));
        assertEquals(4, refusal.line(), refusal.getMessage());
    }
}
