package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * {@code ldmatrix}, {@code stmatrix} and {@code movmatrix}. Lane l holds elements 2 (l % 4) and 2 (l % 4) + 1 of row l / 4
 * of a matrix, or of its columns where it is transposed (PTX ISA, figures of "ldmatrix"); counts by the rule of
 * facts/emulator.md section 4, one phase of 8 rows of 16 bytes a matrix.
 */
class MatrixAccessTest {
    /**
     * An instruction with as many matrices, whose rows lie {@code stride} bytes apart.
     *
     * @param address the register that holds it
     */
    record Access(String opcode, int count, int stride, String address) {}

    private static final List<Access> LOADS = List.of(
            new Access("ldmatrix.sync.aligned.m8n8.x1.shared.b16", 1, 16, "%r6"),
            new Access("ldmatrix.sync.aligned.m8n8.x2.shared::cta.b16", 2, 48, "%r6"),
            new Access("ldmatrix.sync.aligned.m8n8.x4.shared.b16", 4, 144, "%r6"),
            new Access("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16", 1, 32, "%r6"),
            new Access("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", 2, 16, "%r6"),
            new Access("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", 4, 80, "%r6"),
            new Access("ldmatrix.sync.aligned.m8n8.x4.b16", 4, 128, "%rd7"));

    private static final List<Access> STORES = List.of(
            new Access("stmatrix.sync.aligned.m8n8.x1.shared.b16", 1, 16, "%r6"),
            new Access("stmatrix.sync.aligned.m8n8.x2.shared.b16", 2, 48, "%r6"),
            new Access("stmatrix.sync.aligned.m8n8.x4.shared.b16", 4, 144, "%r6"),
            new Access("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16", 1, 32, "%r6"),
            new Access("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16", 2, 16, "%r6"),
            new Access("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16", 4, 80, "%r6"),
            new Access("stmatrix.sync.aligned.m8n8.x4.b16", 4, 128, "%rd7"));

    /** Halves of shared memory hold their own number; lane l names row l at {@code stride} bytes. */
    private static String setUp(int stride) {
        return """
                .shared .align 16 .b8 s[8192];
                mov.u32 %r1, %laneid;
                mov.u32 %r2, s;
                mov.u32 %r3, %r1;
                F:
                mul.lo.u32 %r4, %r3, 0x20002;
                add.u32 %r4, %r4, 0x10000;
                shl.b32 %r5, %r3, 2;
                add.u32 %r5, %r5, %r2;
                st.shared.u32 [%r5], %r4;
                add.u32 %r3, %r3, 32;
                setp.lt.u32 %p1, %r3, 2048;
                @%p1 bra F;
                bar.warp.sync -1;
                mad.lo.u32 %r6, %r1, STRIDE, %r2;
                mul.wide.u32 %rd8, %r1, 4;
                add.s64 %rd9, %rd0, %rd8;
                """.replace("STRIDE", "" + stride);
    }

    /** The opcodes that these tests execute. */
    static List<String> tested() {
        return Stream.of(LOADS.stream().map(Access::opcode), STORES.stream().map(Access::opcode))
                .flatMap(all -> all)
                .toList();
    }

    private static final String ALL = "{%r10, %r11, %r12, %r13}";

    private static String registers(int count) {
        return ALL.substring(0, 5 + 6 * (count - 1)) + "}";
    }

    private static String keep(int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append("st.global.u32 [%rd9+" + 128 * i + "], %r" + (10 + i) + ";\n");
        }
        return text.toString();
    }

    private static int[] run(LaunchOptions.Engine engine, String body, int words) {
        try (Run run = new Run("k.ptx", Texts.kernel(1, body))) {
            long out = run.buffer(4L * words);
            run.launch("k", Extent.of(1), Extent.of(32), LaunchOptions.plain().engine(engine), out);
            return run.ints(out, words);
        }
    }

    private static Counts count(LaunchOptions.Engine engine, String body) {
        try (Run run = new Run("k.ptx", Texts.kernel(1, body))) {
            LaunchOptions options = LaunchOptions.plain().engine(engine).counting(true);
            return run.launch("k", Extent.of(1), Extent.of(32), options, run.buffer(512));
        }
    }

    @ParameterizedTest
    @FieldSource("LOADS")
    void lanesGetTheirPartOfEachMatrix(Access access) {
        String opcode = access.opcode();
        int count = access.count();
        int stride = access.stride();
        String body = setUp(stride) + "cvt.u64.u32 %rd6, %r6;\ncvta.shared.u64 %rd7, %rd6;\n" + opcode + " "
                + registers(count) + ", [" + access.address() + "+64];\n" + keep(count);
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            int[] got = run(engine, body, 32 * count);
            for (int matrix = 0; matrix < count; matrix++) {
                for (int lane = 0; lane < 32; lane++) {
                    int row = lane / 4;
                    int column = 2 * (lane % 4);
                    boolean transposed = opcode.contains("trans");
                    int low = number(stride, matrix, transposed ? column : row, transposed ? row : column);
                    int high = number(stride, matrix, transposed ? column + 1 : row, transposed ? row : column + 1);
                    assertEquals(
                            low | high << 16,
                            got[32 * matrix + lane],
                            engine + ", matrix " + matrix + ", lane " + lane);
                }
            }
        }
    }

    /** The number of the half in a column of a row. */
    private static int number(int stride, int matrix, int row, int column) {
        return (64 + (8 * matrix + row) * stride) / 2 + column;
    }

    @ParameterizedTest
    @FieldSource("STORES")
    void rowsAreStoredWhereTheirLanesSay(Access access) {
        String opcode = access.opcode();
        int count = access.count();
        int stride = access.stride();
        StringBuilder body = new StringBuilder(setUp(stride));
        body.append("cvt.u64.u32 %rd6, %r6;\ncvta.shared.u64 %rd7, %rd6;\n");
        // Word i of a lane holds the halves 0x8000 + 64 i + 2 lane and the next.
        for (int i = 0; i < count; i++) {
            body.append("mad.lo.u32 %r" + (10 + i) + ", %r1, 0x20002, " + (0x80018000 + i * 0x400040) + ";\n");
        }
        body.append(opcode + " [" + access.address() + "+64], " + registers(count) + ";\nbar.warp.sync -1;\n");
        body.append("mov.u32 %r3, %r1;\nC:\nshl.b32 %r5, %r3, 2;\nadd.u32 %r7, %r5, %r2;\nld.shared.u32 %r8, [%r7];\n")
                .append("cvt.u64.u32 %rd5, %r5;\nadd.s64 %rd4, %rd0, %rd5;\nst.global.u32 [%rd4], %r8;\n")
                .append("add.u32 %r3, %r3, 32;\nsetp.lt.u32 %p1, %r3, 2048;\n@%p1 bra C;\n");
        int[] expected = new int[4096];
        for (int i = 0; i < expected.length; i++) {
            expected[i] = i;
        }
        for (int matrix = 0; matrix < count; matrix++) {
            for (int row = 0; row < 8; row++) {
                for (int column = 0; column < 8; column++) {
                    int a = opcode.contains("trans") ? column : row;
                    int b = opcode.contains("trans") ? row : column;
                    expected[number(stride, matrix, row, column)] = 0x8000 + 64 * matrix + 8 * a + b;
                }
            }
        }
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            int[] got = run(engine, body.toString(), 2048);
            for (int i = 0; i < expected.length; i++) {
                assertEquals(expected[i], got[i / 2] >>> (16 * (i % 2)) & 0xffff, engine + ", half " + i);
            }
        }
    }

    /** Lane l has elements 8 r + c of its row; afterwards 8 c + r. */
    @ParameterizedTest
    @EnumSource
    void aMatrixIsTransposed(LaunchOptions.Engine engine) {
        String body = "mov.u32 %r1, %laneid;\nmad.lo.u32 %r2, %r1, 0x20002, 0x10000;\n"
                + "movmatrix.sync.aligned.m8n8.trans.b16 %r10, %r2;\nmul.wide.u32 %rd8, %r1, 4;\n"
                + "add.s64 %rd9, %rd0, %rd8;\n" + keep(1);
        int[] got = run(engine, body, 32);
        for (int lane = 0; lane < 32; lane++) {
            int row = lane / 4;
            int column = 2 * (lane % 4);
            assertEquals((8 * column + row) | (8 * (column + 1) + row) << 16, got[lane], "lane " + lane);
        }
    }

    @ParameterizedTest
    @CsvSource({
        // Rows side by side fill the 32 banks once; 128 bytes apart all begin in one bank; 144 apart they take turns.
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16, 1, 16, 1, true",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16, 4, 16, 4, true",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16, 1, 128, 8, true",
        "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16, 2, 128, 16, true",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16, 4, 128, 32, true",
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16, 4, 144, 4, true",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16, 4, 32, 8, true",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16, 4, 0, 4, true",
        "stmatrix.sync.aligned.m8n8.x4.shared.b16, 4, 128, 32, false",
        "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16, 2, 16, 2, false"
    })
    void eachMatrixIsOnePhase(String opcode, int count, int stride, int wavefronts, boolean load) {
        String before = setUp(stride);
        String access =
                load ? opcode + " " + registers(count) + ", [%r6];\n" : opcode + " [%r6], " + registers(count) + ";\n";
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            Counts without = count(engine, before);
            Counts with = count(engine, before + access.repeat(3));
            assertEquals(3, with.total().sharedRequests() - without.total().sharedRequests(), engine + " requests");
            assertEquals(
                    3L * wavefronts,
                    with.total().sharedWavefronts() - without.total().sharedWavefronts(),
                    engine + " wavefronts");
            assertEquals(
                    3L * count, with.total().sharedIdeal() - without.total().sharedIdeal(), engine + " ideal");
            assertEquals(3, with.total().instructions() - without.total().instructions(), engine + " instructions");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'[%r6+8192]', OUT_OF_BOUNDS, the block has 8192 bytes",
        "'[%r6+8]', MISALIGNED, expected a multiple of 16",
        "'[%rd0]', OUT_OF_BOUNDS, expected an address of shared memory"
    })
    void wrongAddressesAreNamed(String address, KernelFault.Kind kind, String part) {
        String space = address.contains("rd") ? "" : ".shared";
        String body = setUp(16) + "ldmatrix.sync.aligned.m8n8.x4" + space + ".b16 " + ALL + ", " + address + ";\n";
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            try (Run run = new Run("k.ptx", Texts.kernel(1, body))) {
                long out = run.buffer(512);
                LaunchOptions options = LaunchOptions.plain().engine(engine);
                KernelFault fault = assertThrows(
                        KernelFault.class, () -> run.launch("k", Extent.of(1), Extent.of(32), options, out));
                assertEquals(kind, fault.kind(), fault.getMessage());
                assertTrue(String.valueOf(fault.getMessage()).contains(part), fault.getMessage());
            }
        }
    }
}
