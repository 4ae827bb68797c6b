package dev.panamark.benchmark.emulator;

import java.util.Random;

/** A kernel of thousands of lines whose first instructions end it, where its parameter says so. */
final class LongKernel {
    private LongKernel() {}

    /** {@code lines} of arithmetic with a branch in every hundred; other seeds give other ones. */
    static String text(int lines, long seed) {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder("""
                .version 7.0
                .target sm_80
                .address_size 64
                .visible .entry k(.param .u64 out, .param .u32 last)
                {
                .reg .pred %p<3>;
                .reg .f32 %f<100>;
                .reg .b32 %r<4>;
                .reg .b64 %rd<4>;
                ld.param.u64 %rd1, [out];
                ld.param.u32 %r1, [last];
                mov.u32 %r2, %tid.x;
                mul.wide.u32 %rd2, %r2, 4;
                add.s64 %rd3, %rd1, %rd2;
                st.global.u32 [%rd3], %r1;
                setp.eq.u32 %p1, %r1, 7;
                @%p1 bra END;
                """);
        for (int i = 0; i < 100; i++) {
            text.append("cvt.rn.f32.u32 %f").append(i).append(", %r2;\n");
        }
        for (int i = 0; i < lines - 100; i++) {
            if (i % 100 == 99) {
                text.append("setp.gt.f32 %p2, %f").append(random.nextInt(100)).append(", 0f3F800000;\n@%p2 bra L");
                text.append(i).append(";\nst.global.f32 [%rd3], %f");
                text.append(random.nextInt(100)).append(";\nL").append(i).append(":\n");
            }
            String operation =
                    random.nextInt(3) == 0 ? "add.f32 %f" : random.nextBoolean() ? "mul.f32 %f" : "fma.rn.f32 %f";
            text.append(operation).append(random.nextInt(100));
            for (int k = operation.startsWith("fma") ? 3 : 2; k > 0; k--) {
                text.append(", %f").append(random.nextInt(100));
            }
            text.append(";\n");
        }
        return text.append("st.global.f32 [%rd3], %f1;\nEND:\nret;\n}\n").toString();
    }
}
