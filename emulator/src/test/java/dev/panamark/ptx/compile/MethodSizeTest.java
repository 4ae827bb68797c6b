package dev.panamark.ptx.compile;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.ptx.Texts;
import dev.panamark.ptx.analyze.Analyzer;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A method of more than 8,000 bytes is never compiled to machine code. */
class MethodSizeTest {
    @ParameterizedTest
    @CsvSource({"benchmark.ptx, false", "benchmark.ptx, true", "corpus.ptx, false", "corpus.ptx, true"})
    void noneIsTooLarge(String name, boolean counting) {
        check(name, Texts.resource(name), counting);
    }

    @Test
    void norWithoutBranchesForThousandsOfLines() {
        StringBuilder text = new StringBuilder("""
                .version 8.0
                .target sm_80
                .address_size 64
                .entry k(.param .u64 p)
                {
                .reg .f32 %f<100>;
                .reg .b32 %r<100>;
                .reg .b64 %rd<3>;
                .shared .b32 s[512];
                ld.param.u64 %rd1, [p];
                """);
        for (int i = 0; i < 3000; i++) {
            text.append("fma.rn.ftz.sat.f32 %f")
                    .append(i % 97)
                    .append(", %f")
                    .append(i % 89)
                    .append(", %f")
                    .append(i % 83)
                    .append(", %f")
                    .append(i % 79)
                    .append(";\n");
            if (i % 3 == 0) {
                text.append("st.global.v4.f32 [%rd1+")
                        .append(16 * i)
                        .append("], {%f1, %f2, %f")
                        .append(i % 90)
                        .append(", %f4};\n");
                text.append("ld.shared.v2.u32 {%r1, %r")
                        .append(i % 90)
                        .append("}, [s+")
                        .append(8 * (i % 200))
                        .append("];\n");
            }
        }
        check("long.ptx", text.append("ret;\n}\n").toString(), true);
    }

    private static void check(String name, String text, boolean counting) {
        for (Analyzer.Kernel kernel : Analyzer.analyze(name, text).kernels()) {
            Compiler compiler = new Compiler(kernel.code(), counting, false);
            List<byte[]> classes = new ArrayList<>(compiler.classes().values());
            for (int lanes : new int[] {4, 8, 16}) {
                classes.addAll(
                        compiler.vectorClasses(compiler.plans(lanes), lanes).values());
            }
            for (byte[] bytes : classes) {
                ClassModel model = ClassFile.of().parse(bytes);
                for (MethodModel method : model.methods()) {
                    int size = method.findAttribute(Attributes.code())
                            .orElseThrow()
                            .codeLength();
                    boolean dispatch = method.methodName().equalsString("run");
                    assertTrue(
                            size <= (dispatch ? 8000 : Compiler.MOST_BYTES),
                            kernel.code().name() + " " + method.methodName() + ": " + size + " bytes");
                }
            }
        }
    }
}
