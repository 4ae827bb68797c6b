package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every opcode of {@code opcodes.tsv} does what its reference says, in both engines, or is refused when it is loaded;
 * those of {@code more-opcodes.txt} do it too.
 */
class OpcodesTest {
    /** What is not emulated, by the opcode's first name. */
    private static final Map<String, String> REFUSED = Map.ofEntries(
            Map.entry("alloca", "memory of the stack whose size is known only when it runs"),
            Map.entry("cp.async.bulk", "copies in bulk"),
            Map.entry("wgmma", "tensor cores"),
            Map.entry("tex", "textures"),
            Map.entry("sust", "surfaces"));

    @SuppressWarnings("NullAway.Init") // Made before the first test.
    private static DeviceMemory memory;

    @BeforeAll
    static void open() {
        memory = DeviceMemory.create(1 << 28, Path.of(System.getProperty("java.io.tmpdir")));
    }

    @AfterAll
    static void close() {
        memory.close();
    }

    private static Stream<String> lines(String resource) {
        return Texts.resource(resource).lines().filter(line -> !line.startsWith("#"));
    }

    private static Stream<String> listed() {
        return lines("opcodes.tsv").map(line -> line.substring(0, line.indexOf('\t')));
    }

    private static boolean isRefused(String opcode) {
        return REFUSED.containsKey(Opcode.of(opcode).base()) || opcode.startsWith("cp.async.bulk");
    }

    private static boolean isTensor(String opcode) {
        return List.of("ldmatrix", "stmatrix", "movmatrix", "mma", "wmma")
                .contains(Opcode.of(opcode).base());
    }

    static Stream<String> supported() {
        return listed().filter(opcode -> !isRefused(opcode) && !isTensor(opcode) && !opcode.equals("trap"));
    }

    /** What all lanes do with matrices has tests of its own, which execute these. */
    @Test
    void tensors() {
        Set<String> tested = new HashSet<>(MatrixAccessTest.tested());
        Mma.all().forEach(mma -> tested.add(mma.text()));
        tested.addAll(WmmaTest.tested());
        assertEquals(
                List.of(),
                listed().filter(OpcodesTest::isTensor)
                        .filter(opcode -> !tested.contains(opcode))
                        .toList());
        assertEquals(17, listed().filter(OpcodesTest::isTensor).count());
    }

    static Stream<String> refused() {
        return listed().filter(OpcodesTest::isRefused);
    }

    @ParameterizedTest
    @MethodSource
    void supported(String opcode) {
        List<Reference> references = References.of(opcode);
        assertFalse(references.isEmpty(), opcode + " has no reference, and is not among those refused");
        references.forEach(reference -> check(reference, 4096, Integer.MAX_VALUE));
    }

    /** Their siblings of other types and modifiers: all that differ are named. */
    @Test
    void others() {
        List<String> problems = lines("more-opcodes.txt")
                .parallel()
                .flatMap(opcode -> problem(opcode).stream())
                .toList();
        assertEquals(List.of(), problems);
    }

    private static Optional<String> problem(String opcode) {
        List<Reference> references = References.of(opcode);
        if (references.isEmpty()) {
            return Optional.of(opcode + " has no reference");
        }
        try {
            references.forEach(reference -> check(reference, 512, 2048));
            return Optional.empty();
        } catch (AssertionError | RuntimeException e) {
            return Optional.of(opcode + ": " + e);
        }
    }

    @ParameterizedTest
    @MethodSource
    void refused(String opcode) {
        String text = Texts.kernel(1, opcode + " %r0, %r1;");
        PtxException refusal = assertThrows(PtxException.class, () -> PtxModule.load("k.ptx", text));
        assertTrue(refusal.isUnsupported(), refusal.getMessage());
        assertTrue(String.valueOf(refusal.getMessage()).contains(opcode), refusal.getMessage());
    }

    @Test
    void trap() {
        String text = Texts.kernel(0, "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p0, %r0, 3;\n@%p0 trap;");
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            try (Run run = new Run("k.ptx", text)) {
                LaunchOptions options = LaunchOptions.plain().engine(engine);
                KernelFault fault =
                        assertThrows(KernelFault.class, () -> run.launch("k", Extent.of(1), Extent.of(4), options));
                assertEquals(KernelFault.Kind.TRAP, fault.kind());
                assertDoesNotTrap(run, options);
            }
        }
    }

    private static void assertDoesNotTrap(Run run, LaunchOptions options) {
        run.launch("k", Extent.of(1), Extent.of(3), options);
    }

    /** The three words of the PTX ISA, whose combination by a table is the table. */
    @Test
    void allTablesOfLop3() {
        StringBuilder body = new StringBuilder();
        for (int table = 0; table < 256; table++) {
            body.append("lop3.b32 %r0, 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, " + table + ";\nst.global.b32 [%rd0+"
                    + 4 * table + "], %r0;\n");
        }
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            try (Run run = new Run("k.ptx", Texts.kernel(1, body.toString()))) {
                long out = run.buffer(1024);
                run.launch(
                        "k", Extent.of(1), Extent.of(1), LaunchOptions.plain().engine(engine), out);
                int[] got = run.ints(out, 256);
                for (int table = 0; table < 256; table++) {
                    assertEquals(table * 0x01010101, got[table], "table " + table);
                }
            }
        }
    }

    /**
     * In both engines, with all values of up to 16 bits or {@code most}.
     *
     * @param interpreted how many values the interpreter, which is slow, is given at most
     */
    private static void check(Reference reference, int most, int interpreted) {
        long[][] in = Values.of(reference.in(), most);
        int threads = in.length == 0 ? 1024 : in[0].length;
        OpcodeKernel kernel = new OpcodeKernel(reference);
        LaunchOptions.Engine[] engines = LaunchOptions.Engine.values();
        long[][][] got = new long[engines.length][][];
        for (int i = 0; i < engines.length; i++) {
            int count = engines[i] == LaunchOptions.Engine.INTERPRETER ? Math.min(threads, interpreted) : threads;
            got[i] = kernel.run(engines[i], memory, in, count);
        }
        for (int thread = 0; thread < threads; thread++) {
            List<Expected> expected = reference.of().at(in, thread);
            for (int i = 0; i < expected.size(); i++) {
                for (int k = 0; k < engines.length; k++) {
                    if (thread < got[k][i].length && !expected.get(i).admits(got[k][i][thread])) {
                        throw new AssertionError(
                                message(reference, engines[k], in, thread, i, expected.get(i), got[k]));
                    }
                }
            }
        }
    }

    private static String message(
            Reference reference,
            LaunchOptions.Engine engine,
            long[][] in,
            int thread,
            int result,
            Expected expected,
            long[][] got) {
        StringBuilder message = new StringBuilder(engine + ": " + reference.text());
        for (int i = 0; i < in.length; i++) {
            message.append(i == 0 ? " of " : ", ").append("0x" + Long.toHexString(in[i][thread]));
        }
        return message.append(" gave 0x" + Long.toHexString(got[result][thread]) + " in %"
                        + Reference.OUTPUTS.get(result) + " of thread " + thread + "; expected " + expected)
                .toString();
    }
}
