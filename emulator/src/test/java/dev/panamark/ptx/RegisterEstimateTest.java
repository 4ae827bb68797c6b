package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Counted by hand: 64-bit values take two registers, predicates none. */
class RegisterEstimateTest {
    private static final String HEAD = ".version 7.0\n.target sm_80\n.address_size 64\n";

    private static int estimate(String limits, String body) {
        String text = HEAD + ".visible .entry k(.param .u64 p)" + limits
                + "\n{\n.reg .pred %p<4>;\n.reg .b32 %r<300>;\n" + ".reg .b64 %rd<4>;\n" + body + "ret;\n}\n";
        return PtxModule.load("k.ptx", text).kernel("k").registerEstimate();
    }

    /** Where %r3 is loaded: the address (2), %r1 and %r2, and itself. */
    @Test
    void isThatOfThePlaceWhereMostValuesMatter() {
        assertEquals(5, estimate("", """
                ld.param.u64 %rd0, [p];
                ld.global.u32 %r1, [%rd0];
                ld.global.u32 %r2, [%rd0+4];
                ld.global.u32 %r3, [%rd0+8];
                setp.eq.u32 %p1, %r1, %r2;
                selp.u32 %r4, %r2, %r3, %p1;
                st.global.u32 [%rd0], %r4;
                """));
    }

    /** %r1 is read again in the next turn, so it stays beside the address, %r2 and %r3. */
    @Test
    void countsWhatALoopCarries() {
        assertEquals(5, estimate("", """
                ld.param.u64 %rd0, [p];
                mov.u32 %r1, 5;
                mov.u32 %r2, 0;
                L:
                ld.global.u32 %r3, [%rd0];
                add.u32 %r2, %r2, %r3;
                sub.u32 %r1, %r1, 1;
                setp.ne.u32 %p1, %r1, 0;
                @%p1 bra L;
                st.global.u32 [%rd0], %r2;
                """));
    }

    /** 65,536 registers of an SM for 1,024 threads are 64 each, for 512 of which two blocks must fit as well. */
    @Test
    void isNoMoreThanLaunchBoundsLeave() {
        StringBuilder many = new StringBuilder("ld.param.u64 %rd0, [p];\n");
        for (int i = 0; i < 100; i++) {
            many.append("ld.global.u32 %r")
                    .append(i)
                    .append(", [%rd0+")
                    .append(4 * i)
                    .append("];\n");
        }
        for (int i = 0; i < 100; i++) {
            many.append("st.global.u32 [%rd0+")
                    .append(4 * i)
                    .append("], %r")
                    .append(99 - i)
                    .append(";\n");
        }
        assertEquals(102, estimate("", many.toString()), "which say nothing where they are not there");
        assertEquals(80, estimate(".reqntid 768, 1, 1", many.toString()), "85, by eight");
        assertEquals(102, estimate(".maxntid 128, 1, 1", many.toString()));
        assertEquals(64, estimate(".maxntid 1024, 1, 1", many.toString()));
        assertEquals(64, estimate(".maxntid 512, 1, 1\n.minnctapersm 2", many.toString()));
    }
}
