package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** How accesses are counted beside plain loads and stores; by hand from the rules of facts/emulator.md section 4. */
class AccessCountsTest {
    private static Counts counts(String body, LaunchOptions options) {
        String text = """
                .shared .align 16 .b8 s[8192];
                mov.u32 %r1, %laneid;
                mov.u32 %r2, 1;
                mov.f32 %f1, 0f3F800000;
                """ + body;
        try (Run run = new Run("k.ptx", Texts.kernel(1, text))) {
            long out = run.buffer(8192);
            return run.launch("k", Extent.of(1), Extent.of(32), options.counting(true), out);
        }
    }

    @ParameterizedTest
    @CsvSource({
        // 32 words in order are 4 sectors of 32 bytes; 32 bytes apart each is one; one word is one, of the first 4
        // lanes too.
        "'red.global.add.u32 [%rd3], %r2;', 4, 4, true",
        "'atom.global.add.u32 %r3, [%rd3], %r2;', 4, 4, true",
        "'atom.global.add.u32 %r3, [%rd3], %r2;', 32, 32, true",
        "'atom.global.exch.b32 %r3, [%rd3], %r2;', 0, 1, true",
        "'atom.relaxed.gpu.global.cas.b32 %r3, [%rd3], %r2, %r1;', 4, 4, true",
        "'@%p1 red.global.add.u32 [%rd3], %r2;', 32, 4, true",
        // A vector is one access of 16 bytes a lane: 512 in order.
        "'atom.global.add.v4.f32 {%f2, %f3, %f4, %f5}, [%rd3], {%f1, %f1, %f1, %f1};', 16, 16, true",
        "'ld.global.u32 %r3, [%rd3];', 4, 4, false"
    })
    void atomicOperationsTouchSectors(String instruction, int stride, int sectors, boolean writes) {
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            Counts counts = counts(
                    "mul.wide.u32 %rd2, %r1, " + stride + ";\nadd.s64 %rd3, %rd0, %rd2;\nsetp.lt.u32 %p1, %r1, 4;\n"
                            + instruction,
                    LaunchOptions.plain().engine(engine));
            assertEquals(1, counts.total().globalRequests(), engine + " " + instruction);
            assertEquals(sectors, counts.total().globalSectors(), engine + " " + instruction);
            assertEquals(0, counts.total().sharedRequests(), engine + " " + instruction);
            // They read and write.
            assertEquals(32L * sectors, counts.bytesRead(), engine + " " + instruction);
            assertEquals(writes ? 32L * sectors : 0, counts.bytesWritten(), engine + " " + instruction);
        }
    }

    @ParameterizedTest
    @CsvSource({
        // Words in order; 2 words apart pairs of lanes share banks; 32 words apart all do; one word is read by all.
        "'atom.shared.add.u32 %r3, [%r5], %r2;', 4, 1, 1",
        "'red.shared.add.u32 [%r5], %r2;', 8, 2, 1",
        "'atom.shared.exch.b32 %r3, [%r5], %r2;', 128, 32, 1",
        "'atom.shared.max.u32 %r3, [%r5], %r2;', 0, 1, 1",
        // Of 8 bytes: two phases of 16 lanes, which do not pair up as those of a load may.
        "'atom.shared.add.u64 %rd4, [%r5], %rd0;', 8, 2, 2",
        "'atom.shared.add.u64 %rd4, [%r5], %rd0;', 0, 2, 2",
        // 256 bytes apart the 16 lanes of a phase share one pair of banks.
        "'red.shared.add.u64 [%r5], %rd0;', 256, 32, 2"
    })
    void atomicOperationsTakeWavefronts(String instruction, int stride, int wavefronts, int ideal) {
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            Counts counts = counts(
                    "mul.lo.u32 %r4, %r1, " + stride + ";\nmov.u32 %r6, s;\nadd.u32 %r5, %r6, %r4;\n" + instruction,
                    LaunchOptions.plain().engine(engine));
            assertEquals(1, counts.total().sharedRequests(), engine + " " + instruction);
            assertEquals(wavefronts, counts.total().sharedWavefronts(), engine + " " + instruction);
            assertEquals(ideal, counts.total().sharedIdeal(), engine + " " + instruction);
            assertEquals(0, counts.total().globalRequests(), engine + " " + instruction);
            assertEquals(0, counts.bytesRead() + counts.bytesWritten(), engine + " " + instruction);
        }
    }

    /** Even lanes go to shared memory, 4 bytes apart two and two; odd ones to global memory, a sector each. */
    @ParameterizedTest
    @EnumSource
    void genericAtomicOperationsCountWhereTheyGo(LaunchOptions.Engine engine) {
        Counts counts = counts("""
                and.b32 %r3, %r1, 1;
                setp.eq.u32 %p1, %r3, 0;
                mov.u64 %rd2, s;
                cvta.shared.u64 %rd3, %rd2;
                mul.wide.u32 %rd4, %r1, 4;
                mul.wide.u32 %rd5, %r1, 32;
                add.s64 %rd6, %rd3, %rd4;
                add.s64 %rd7, %rd0, %rd5;
                selp.b64 %rd8, %rd6, %rd7, %p1;
                red.add.u32 [%rd8], %r2;
                """, LaunchOptions.plain().engine(engine));
        assertEquals(1, counts.total().sharedRequests());
        assertEquals(1, counts.total().sharedWavefronts());
        assertEquals(1, counts.total().globalRequests());
        assertEquals(16, counts.total().globalSectors());
    }

    /** The first of the worked examples that pairing changes: LDS.64 of s[t/2], LDS.128 of one address. */
    @ParameterizedTest
    @EnumSource
    void phasesPairUpWhereTheOptionSaysSo(LaunchOptions.Engine engine) {
        String body = """
                shr.u32 %r3, %r1, 1;
                shl.b32 %r3, %r3, 3;
                mov.u32 %r4, s;
                add.u32 %r5, %r4, %r3;
                ld.shared.v2.u32 {%r6, %r7}, [%r5];
                ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%r4];
                """;
        LaunchOptions options = LaunchOptions.plain().engine(engine);
        assertEquals(1 + 2, counts(body, options).total().sharedWavefronts());
        assertEquals(1 + 2, counts(body, options).total().sharedIdeal());
        assertEquals(2 + 4, counts(body, options.pairing(false)).total().sharedWavefronts());
        assertEquals(2 + 4, counts(body, options.pairing(false)).total().sharedIdeal());
    }
}
