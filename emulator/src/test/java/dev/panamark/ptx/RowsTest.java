package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Threads of a warp that differ in x share what depends on y only, until they part; blocks of many shapes, values by hand
 * from the text.
 */
class RowsTest {
    /** Of thread x, y: its place in the block and the block's number. */
    private static final String PLACE = """
            mov.u32 %r1, %tid.x;
            mov.u32 %r2, %tid.y;
            mov.u32 %r3, %ntid.x;
            mov.u32 %r4, %ctaid.x;
            mad.lo.u32 %r5, %r2, %r3, %r1;
            mov.u32 %r7, %ntid.y;
            mul.lo.u32 %r8, %r3, %r7;
            mad.lo.u32 %r9, %r4, %r8, %r5;
            """;

    private static final String BODY = """
            .shared .align 4 .b8 s[4096];
            """ + PLACE + """
            // Words that follow each other, in shared memory.
            shl.b32 %r10, %r5, 2;
            mov.u32 %r11, s;
            add.u32 %r12, %r11, %r10;
            mad.lo.u32 %r13, %r5, 3, 1;
            st.shared.u32 [%r12], %r13;
            bar.sync 0;
            ld.shared.u32 %r14, [%r12];
            // The first word of the row, the same for all of it.
            mul.lo.u32 %r15, %r2, %r3;
            shl.b32 %r15, %r15, 2;
            add.u32 %r15, %r15, %r11;
            ld.shared.u32 %r16, [%r15];
            // A counter that all increase alike, but leave the loop one after the other.
            and.b32 %r17, %r1, 3;
            add.u32 %r17, %r17, %r2;
            mov.u32 %r18, 0;
            LOOP:
            add.u32 %r18, %r18, 1;
            setp.lt.u32 %p1, %r18, %r17;
            @%p1 bra LOOP;
            // Constants, another on either side.
            setp.lt.u32 %p2, %r1, 3;
            @%p2 bra LEFT;
            mov.u32 %r19, 9;
            bra.uni JOIN;
            LEFT:
            mov.u32 %r19, 7;
            JOIN:
            // A guard keeps what the row shared.
            mov.u32 %r20, 5;
            setp.eq.u32 %p3, %r1, 2;
            @%p3 mov.u32 %r20, 6;
            // A branch by y only.
            setp.eq.u32 %p4, %r2, 1;
            mov.u32 %r21, 100;
            @%p4 bra SECOND;
            add.u32 %r21, %r21, %r2;
            SECOND:
            mul.wide.u32 %rd1, %r9, 4;
            add.s64 %rd2, %rd0, %rd1;
            st.global.u32 [%rd2], %r14;
            // All threads of both blocks further.
            mul.wide.u32 %rd3, %r8, 8;
            add.s64 %rd4, %rd2, %rd3;
            st.global.u32 [%rd4], %r16;
            add.s64 %rd4, %rd4, %rd3;
            st.global.u32 [%rd4], %r18;
            add.s64 %rd4, %rd4, %rd3;
            st.global.u32 [%rd4], %r19;
            add.s64 %rd4, %rd4, %rd3;
            st.global.u32 [%rd4], %r20;
            add.s64 %rd4, %rd4, %rd3;
            st.global.u32 [%rd4], %r21;
            """;

    @ParameterizedTest
    @CsvSource({"32, 1", "16, 16", "24, 4", "8, 8", "1, 64", "5, 13", "64, 2", "33, 3", "2, 32"})
    void whatARowSharesIsRightInBlocksOfAnyShape(int width, int height) {
        int threads = width * height;
        int[] expected = new int[6 * 2 * threads];
        for (int i = 0; i < 2 * threads; i++) {
            int place = i % threads;
            int x = place % width;
            int y = place / width;
            expected[i] = 3 * place + 1;
            expected[2 * threads + i] = 3 * y * width + 1;
            expected[4 * threads + i] = Math.max(1, (x & 3) + y);
            expected[6 * threads + i] = x < 3 ? 7 : 9;
            expected[8 * threads + i] = x == 2 ? 6 : 5;
            expected[10 * threads + i] = y == 1 ? 100 : 100 + y;
        }
        Counts counts = null;
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            for (boolean counting : new boolean[] {false, true}) {
                try (Run run = new Run("k.ptx", Texts.kernel(1, BODY))) {
                    long out = run.buffer(4L * expected.length);
                    LaunchOptions options = LaunchOptions.plain().engine(engine).counting(counting);
                    Counts got = run.launch("k", Extent.of(2), Extent.of(width, height), options, out);
                    assertArrayEquals(expected, run.ints(out, expected.length), engine + ", counting " + counting);
                    if (counting) {
                        assertEquals(counts == null ? got : counts, got);
                        counts = got;
                    }
                }
            }
        }
        assertNotNull(counts);
        // Six words of each of two blocks' threads, in one piece.
        assertEquals((48L * threads + 31) / 32 * 32, counts.bytesWritten());
    }

    /** Words in a row that end with the allocation: the first thread beyond it is named, after all before it. */
    @ParameterizedTest
    @EnumSource
    void aRowThatLeavesMemoryFailsAtItsFirstLaneBeyond(LaunchOptions.Engine engine) {
        String body = PLACE + """
                mul.wide.u32 %rd1, %r9, 4;
                add.s64 %rd2, %rd0, %rd1;
                bar.sync 0;
                st.global.u32 [%rd2], %r9;
                """;
        try (Run run = new Run("k.ptx", Texts.kernel(1, body))) {
            long out = run.buffer(4 * 21);
            KernelFault fault = assertThrows(
                    KernelFault.class,
                    () -> run.launch(
                            "k",
                            Extent.of(1),
                            Extent.of(16, 2),
                            LaunchOptions.plain().engine(engine),
                            out));
            assertEquals(KernelFault.Kind.OUT_OF_BOUNDS, fault.kind());
            KernelFault.Place place = fault.place();
            assertNotNull(place);
            assertEquals(new Extent(5, 1, 0), place.thread());
            int[] stored = run.ints(out, 21);
            for (int i = 0; i < 21; i++) {
                assertEquals(i, stored[i]);
            }
        }
    }

    /** Accesses through one register are checked together, and the one that leaves memory is named. */
    @ParameterizedTest
    @EnumSource
    void accessesThroughOneRegisterFailOnlyWhereOneDoes(LaunchOptions.Engine engine) {
        String body = PLACE + """
                mul.wide.u32 %rd1, %r9, 8;
                add.s64 %rd2, %rd0, %rd1;
                bar.sync 0;
                ld.global.u32 %r10, [%rd2];
                ld.global.u32 %r11, [%rd2+4];
                add.u32 %r10, %r10, %r11;
                st.global.u32 [%rd2+4], %r10;
                """;
        try (Run run = new Run("k.ptx", Texts.kernel(1, body))) {
            int[] values = new int[64];
            for (int i = 0; i < 64; i++) {
                values[i] = i * i;
            }
            long out = run.buffer(values);
            LaunchOptions options = LaunchOptions.plain().engine(engine);
            run.launch("k", Extent.of(1), Extent.of(32), options, out);
            for (int i = 0; i < 32; i++) {
                assertEquals(values[2 * i] + values[2 * i + 1], run.ints(out, 64)[2 * i + 1]);
            }
            long last = run.buffer(new int[63]);
            KernelFault fault =
                    assertThrows(KernelFault.class, () -> run.launch("k", Extent.of(1), Extent.of(32), options, last));
            KernelFault.Place place = fault.place();
            assertNotNull(place);
            assertEquals(new Extent(31, 0, 0), place.thread());
            assertEquals(last + 63 * 4, place.address());
        }
    }

    /** Halves of a warp that name only themselves go through a loop one after the other; each has its own end. */
    @ParameterizedTest
    @EnumSource
    void halvesOfAWarpKeepTheirOwnCounters(LaunchOptions.Engine engine) {
        String body = PLACE + """
                mov.u32 %r10, 0x0000ffff;
                setp.gt.u32 %p1, %r1, 15;
                @%p1 mov.u32 %r10, 0xffff0000;
                mov.u32 %r11, 0;
                LOOP:
                add.u32 %r11, %r11, 1;
                shfl.sync.idx.b32 %r12, %r1, 0, 0x101f, %r10;
                add.u32 %r13, %r12, 3;
                setp.lt.u32 %p2, %r11, %r13;
                @%p2 bra LOOP;
                mul.wide.u32 %rd1, %r9, 4;
                add.s64 %rd2, %rd0, %rd1;
                st.global.u32 [%rd2], %r11;
                """;
        try (Run run = new Run("k.ptx", Texts.kernel(1, body))) {
            long out = run.buffer(128);
            run.launch("k", Extent.of(1), Extent.of(32), LaunchOptions.plain().engine(engine), out);
            int[] got = run.ints(out, 32);
            for (int i = 0; i < 32; i++) {
                // Clamp 0x101f: lanes read lane 0 of their half, 0 or 16.
                assertEquals((i < 16 ? 0 : 16) + 3, got[i], "lane " + i);
            }
        }
    }

    /** A register first holds what a row shares, then another address for each lane: two accesses, not one span. */
    @ParameterizedTest
    @EnumSource
    void accessesThroughTwoValuesOfOneRegisterStayApart(LaunchOptions.Engine engine) {
        String body = PLACE + """
                mov.u64 %rd2, %rd0;
                st.global.u32 [%rd2], 5;
                add.s64 %rd2, %rd1, 4;
                mul.wide.u32 %rd3, %r1, 4;
                add.s64 %rd2, %rd2, %rd3;
                st.global.u32 [%rd2], %r1;
                add.s64 %rd2, %rd0, 4;
                st.global.u32 [%rd2+4], 6;
                """;
        try (Run run = new Run("k.ptx", Texts.kernel(2, body))) {
            long first = run.buffer(12);
            long second = run.buffer(4 * 33);
            run.launch("k", Extent.of(1), Extent.of(32), LaunchOptions.plain().engine(engine), first, second);
            assertArrayEquals(new int[] {5, 0, 6}, run.ints(first, 3));
            for (int i = 0; i < 32; i++) {
                assertEquals(i, run.ints(second, 33)[i + 1]);
            }
        }
    }

    /** Half of the address space before the buffer and half beyond that are the buffer, for words that follow each other too. */
    @ParameterizedTest
    @EnumSource
    void anOffsetOfHalfTheAddressSpaceWrapsAround(LaunchOptions.Engine engine) {
        String text = Texts.kernel(1, """
                mov.u32 %r1, %tid.x;
                mul.wide.u32 %rd1, %r1, 4;
                add.s64 %rd2, %rd0, %rd1;
                xor.b64 %rd2, %rd2, 0x8000000000000000;
                bar.sync 0;
                add.u32 %r2, %r1, 7;
                st.global.u32 [%rd2+0x8000000000000000], %r2;
                """);
        try (Run run = new Run("k.ptx", text)) {
            long out = run.buffer(4 * 32);
            run.launch("k", Extent.of(1), Extent.of(32), LaunchOptions.plain().engine(engine), out);
            int[] got = run.ints(out, 32);
            for (int i = 0; i < 32; i++) {
                assertEquals(i + 7, got[i], "word " + i);
            }
        }
    }
}
