package dev.panamark.fake;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Kernel files of kernels {@code mine.doubled}, {@code mine.halved} and {@code mine.tripled}, in one PTX text or HIP source. */
public final class ScaledKernels {
    private static final String PTX =
            """
            .version 7.0
            .target sm_80
            .address_size 64
            """ + kernel("doubled", "0f40000000") + kernel("tripled", "0f40400000") + kernel("halved", "0f3F000000");

    private static final String IMAGES = "cuda: [{file: scaled.ptx}]";

    private ScaledKernels() {}

    /** Writes text and kernel files into a folder; the latter, doubled, halved, tripled. */
    public static List<Path> write(Path folder) throws IOException {
        Files.writeString(folder.resolve("scaled.ptx"), PTX);
        return List.of(
                kernelFile(folder, "doubled", "2", IMAGES),
                kernelFile(folder, "halved", "0.5", IMAGES),
                kernelFile(folder, "tripled", "3", IMAGES));
    }

    private static final String HIP =
            "#include \"panamark_hip.h\"\n" + hip("doubled", "2") + hip("halved", "0.5f") + hip("tripled", "3");

    /** Writes {@code scaled.hip} and its header into a folder. */
    public static Path writeHip(Path folder) throws IOException {
        Files.copy(
                Path.of("../kernels/src/main/resources/panamark-kernels/panamark_hip.h"),
                folder.resolve("panamark_hip.h"));
        return Files.writeString(folder.resolve("scaled.hip"), HIP);
    }

    /** Writes kernel files of an image for HIP into its folder; doubled, halved, tripled. */
    public static List<Path> writeHipKernels(Path folder, String image) throws IOException {
        String images = "hip: [{file: " + image + "}]";
        return List.of(
                kernelFile(folder, "doubled", "2", images),
                kernelFile(folder, "halved", "0.5", images),
                kernelFile(folder, "tripled", "3", images));
    }

    private static String hip(String name, String factor) {
        return """
                extern "C" __global__ void %s(const float *x, float *out, unsigned n) {
                    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
                    if (i < n) out[i] = %s * x[i];
                }
                """.formatted(name, factor);
    }

    private static String kernel(String name, String factor) {
        return """
                .visible .entry %s(.param .u64 p_x, .param .u64 p_out, .param .u32 p_n)
                {
                    .reg .pred %%p;
                    .reg .f32 %%f;
                    .reg .b32 %%i, %%n, %%b, %%t;
                    .reg .b64 %%x, %%out, %%at;
                    ld.param.u64 %%x, [p_x];
                    ld.param.u64 %%out, [p_out];
                    ld.param.u32 %%n, [p_n];
                    mov.u32 %%b, %%ctaid.x;
                    mov.u32 %%t, %%tid.x;
                    mad.lo.u32 %%i, %%b, 128, %%t;
                    setp.ge.u32 %%p, %%i, %%n;
                    @%%p ret;
                    mul.wide.u32 %%at, %%i, 4;
                    add.u64 %%x, %%x, %%at;
                    add.u64 %%out, %%out, %%at;
                    ld.global.f32 %%f, [%%x];
                    mul.f32 %%f, %%f, %s;
                    st.global.f32 [%%out], %%f;
                    ret;
                }
                """.formatted(name, factor);
    }

    private static Path kernelFile(Path folder, String name, String factor, String images) throws IOException {
        return Files.writeString(folder.resolve(name + ".yaml"), """
                format: panamark.kernel/1
                kernel: mine.%1$s
                purpose: every element times %2$s
                axes:
                  n: [1000]
                images:
                  %3$s
                buffers:
                  x: {type: f32, shape: [n], fill: normal}
                  out: {type: f32, shape: [n], role: output, check: {rule: close, atol: 1e-6}}
                steps:
                  - {entry: %1$s, grid: ["ceil(n/128)"], block: [128], args: [x, out, {i32: n}]}
                work:
                  flops: {fma_f32: n}
                  reads: bytes(x)
                  writes: bytes(out)
                check: {reference: linear, conventions: {alpha: %2$s}}
                """.formatted(name, factor, images));
    }
}
