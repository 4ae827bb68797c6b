package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Places of variables and parameters, by the rules of the PTX ISA for {@code .align}. */
class AlignmentTest {
    private static final String HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n";

    /** 20 bytes of static memory come first; the next multiple of 128 is 128. */
    @ParameterizedTest
    @EnumSource
    void ofDynamicSharedMemory(LaunchOptions.Engine engine) {
        String body = """
                .shared .align 4 .b8 s[20];
                .extern .shared .align 128 .b8 dyn[];
                mov.u32 %r1, s;
                mov.u32 %r2, dyn;
                st.shared.u32 [%r1+16], 7;
                st.shared.u32 [%r2+60], 9;
                ld.shared.u32 %r3, [188];
                st.global.u32 [%rd0], %r2;
                st.global.u32 [%rd0+4], %r3;
                """;
        try (Run run = new Run("k.ptx", Texts.kernel(1, body))) {
            long out = run.buffer(8);
            byte[] parameters = Parameters.of(run.module.kernel("k")).add(out).bytes();
            run.linked.launch(
                    "k",
                    Extent.of(1),
                    Extent.of(1),
                    64,
                    parameters,
                    LaunchOptions.plain().engine(engine));
            assertArrayEquals(new int[] {128, 9}, run.ints(out, 2));
        }
    }

    /** A pointer has 8 bytes however its target is aligned; behind 4 bytes it lies at 8. */
    @Test
    void ofWhatAParameterPointsToIsNotItsOwn() {
        PtxModule module = PtxModule.load(
                "k.ptx",
                HEADER + ".entry k(.param .u32 n, .param .u64 .ptr .global .align 16 p, .param .align 16 .b8 s[16])"
                        + "{ret;}");
        List<KernelInfo.Parameter> parameters = module.kernel("k").parameters();
        assertEquals(8, parameters.get(1).offset());
        assertEquals(8, parameters.get(1).alignment());
        assertEquals(16, parameters.get(2).offset());
        assertEquals(32, module.kernel("k").parameterBytes());
    }

    @Test
    void ofGlobalVariablesBeyondThatOfAllocationsIsRefused() {
        PtxException refusal = assertThrows(
                PtxException.class,
                () -> PtxModule.load("k.ptx", HEADER + ".global .align 256 .b8 a[4];\n.global .align 512 .b8 b[4];"));
        assertEquals(5, refusal.line());
    }

    @Test
    void isAPowerOfTwo() {
        PtxException refusal =
                assertThrows(PtxException.class, () -> PtxModule.load("k.ptx", HEADER + ".global .align 12 .b8 a[4];"));
        assertEquals(4, refusal.line());
    }

    /** The first variable fits and the second does not: afterwards all of the memory can be had in one piece. */
    @Test
    void aModuleThatDoesNotFitTakesNoRoom() {
        PtxModule module =
                PtxModule.load("k.ptx", HEADER + ".global .b8 a[1000];\n.global .b8 b[100000000];\n.entry k(){ret;}");
        try (DeviceMemory memory = DeviceMemory.create(1 << 20, Path.of(System.getProperty("java.io.tmpdir")))) {
            assertThrows(OutOfDeviceMemory.class, () -> module.link(memory));
            assertEquals(DeviceMemory.LOWEST, memory.allocate(memory.bytes()));
        }
    }
}
