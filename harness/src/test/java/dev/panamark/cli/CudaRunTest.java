package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.panamark.driver.cuda.CudaDriver;
import dev.panamark.fake.FakeCuda;
import dev.panamark.fake.FakeWorker;
import dev.panamark.result.Row;
import dev.panamark.result.Rows;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program on a machine with NVIDIA GPUs, as far as its driver tells; what is launched the emulator runs. */
class CudaRunTest {
    /** Three kernels that multiply by a number each. */
    private static final String PTX =
            """
            .version 7.0
            .target sm_80
            .address_size 64
            """ + kernel("doubled", "0f40000000") + kernel("tripled", "0f40400000") + kernel("halved", "0f3F000000");

    private final FakeCuda fake;
    private final Session session;

    CudaRunTest(@TempDir Path folder) throws Exception {
        fake = FakeCuda.load();
        session = new Session(folder);
        session.file("scaled.ptx", PTX);
        kernelFile("doubled", "2");
        kernelFile("halved", "0.5");
        kernelFile("tripled", "3");
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

    private void kernelFile(String name, String factor) {
        session.file(name + ".yaml", """
                format: panamark.kernel/1
                kernel: mine.%1$s
                purpose: every element times %2$s
                axes:
                  n: [1000]
                images:
                  cuda: [{file: scaled.ptx}]
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
                """.formatted(name, factor));
    }

    /** This process looks for devices, others measure on them: all find what the script says. */
    private void machine(String script) throws Throwable {
        fake.reset(script);
        session.with(CudaDriver.VARIABLE, fake.file());
        Path file = session.file("machine.fake", script);
        session.with(FakeWorker.command(fake, file));
    }

    /** {@code panamark run} of the three kernels, doubled first. */
    private Session.Ended run(String... more) {
        List<String> args =
                new ArrayList<>(List.of("run", "-d", "cuda:0", "-b", "mine.*", "--budget", "30", "--quiet"));
        for (String kernel : List.of("doubled", "halved", "tripled")) {
            args.addAll(List.of("-k", session.path(kernel + ".yaml").toString()));
        }
        args.addAll(List.of("--energy", "off", "--json", json().toString()));
        args.addAll(List.of(more));
        return session.run(args.toArray(String[]::new));
    }

    private Path json() {
        return session.path("result.json");
    }

    private Row row(String kernel) {
        return session.rows(json()).stream()
                .filter(r -> r.kernel().equals("mine." + kernel))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void kernelsAreMeasured() throws Throwable {
        machine("device h100-sxm\nduration * 10000000\nduration panamark_empty 1000\n");
        Session.Ended ended = run();
        assertEquals(0, ended.code(), ended.out() + ended.err());
        for (String kernel : List.of("doubled", "halved", "tripled")) {
            Row row = row(kernel);
            assertEquals(Status.OK, row.status(), row::reason);
            assertEquals(0.010, Rows.value(row, Tags.TIME_MEDIAN), 1e-6, "as the script says");
            assertEquals("CUDA events", row.run().get("clock"));
            assertEquals(true, row.run().get("launch_gate"));
            // 1000 FLOP in 10 ms, of 66.9 TFLOP/s: 33.45 T multiply-adds on FMA units (H100 SXM data sheet).
            assertEquals(1e5 / 66.9e12, Rows.value(row, Tags.UTIL_PEAK), 1e-3 * 1e5 / 66.9e12);
        }
    }
}
