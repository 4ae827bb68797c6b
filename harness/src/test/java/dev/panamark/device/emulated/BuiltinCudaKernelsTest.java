package dev.panamark.device.emulated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.kernel.Catalogue;
import dev.panamark.kernel.Kernel;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Rows;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every built-in CUDA kernel, run on an emulated H100 and held against its reference in double precision. */
class BuiltinCudaKernelsTest {
    static Stream<String> kernels() {
        return Catalogue.builtin(EmulatedRows.CACHE).all().stream()
                .filter(k -> k.hasImage("emu"))
                .map(Kernel::name);
    }

    /** A machine without a CUDA toolkit runs the PTX that comes with the program; registers are an estimate then. */
    @ParameterizedTest
    @MethodSource("kernels")
    void defaultsRunWithoutACompiler(String kernel) {
        Row row = EmulatedRows.row(Map.of("CUDA_HOME", "/no/toolkit", "PANAMARK_NVRTC", "/no/nvrtc"), kernel);
        assertEquals(Status.OK, row.status(), row::reason);
        Metric time = Rows.metric(row, Tags.TIME_MEDIAN);
        assertTrue(time.value() == null && String.valueOf(time.reason()).contains("no clock"), time::toString);
        assertEquals(
                Source.EMULATED, Rows.metric(row, Tags.EXECUTED_INSTRUCTIONS).source());
        assertTrue(Rows.value(row, Tags.EXECUTED_INSTRUCTIONS) > 0);
        assertTrue(Rows.reason(row, Tags.ENERGY_GROSS).contains("no clock"));
        Metric occupancy = Rows.metric(row, Tags.OCCUPANCY_THEORETICAL);
        assertTrue(
                occupancy.value() != null && String.valueOf(occupancy.note()).contains("estimated from the PTX"),
                occupancy::toString);
    }

    /**
     * The first two launches return at once where each row has its own scale, so the third finds nothing in a cache: it
     * must read 1 MiB, and the H100's datasheet gives 3.35 TB/s. What it writes may stay in the cache.
     */
    @Test
    void whatNoLaunchBeforeTouchedMustBeMoved() {
        Row row = EmulatedRows.row(System.getenv(), "quant.fp8.quantize", "rows=64", "cols=4096");
        assertEquals(64 * 4096 * 4 / 3.35e12, Rows.value(row, Tags.TIME_BOUND), 1e-12);
    }

    /** Lengths that no tile divides, other types, masks and layouts, empty sequences, more queries than keys. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "attention.prefill.naive | heads=2 kv_heads=2 seq=37 head_dim=80 causal=none",
                "attention.prefill.naive | heads=2 kv_heads=1 seq=33 kv_len=5 head_dim=64 dtype=f32",
                "attention.prefill.padded | heads=2 kv_heads=1 seq=45 head_dim=128 dtype=bf16 window=7",
                "attention.prefill.swizzled | heads=2 kv_heads=1 seq=50 kv_len=13 head_dim=64 softcap=2.5",
                "attention.prefill.tiled | heads=1 kv_heads=1 seq=31 kv_len=70 head_dim=64 causal=none window=9",
                "attention.prefill.mma | heads=3 kv_heads=1 seq=37 head_dim=80 causal=none",
                "attention.prefill.mma | batch=2 heads=2 kv_heads=2 seq=65 kv_len=7 head_dim=96 dtype=bf16",
                "attention.prefill.mma | heads=2 kv_heads=1 seq=45 kv_len=130 head_dim=128 window=7 softcap=2.5",
                "attention.prefill.mma_unswizzled | heads=1 kv_heads=1 seq=31 kv_len=70 head_dim=256 causal=none window=9",
                "attention.decode.one_pass | batch=3 heads=6 kv_heads=2 head_dim=80 kv_len=37 page=8 shortest=0 dtype=bf16",
                "attention.decode.split_kv | batch=2 heads=4 kv_heads=4 head_dim=64 kv_len=99 kv_dtype=e4m3",
                "attention.decode.split_kv | batch=2 heads=4 kv_heads=2 head_dim=64 kv_len=61 kv_dtype=int4 scales=token",
                "attention.decode.one_pass | batch=2 heads=4 kv_heads=2 head_dim=64 kv_len=61 kv_dtype=i8 dtype=f32",
                "attention.decode.mma | batch=3 heads=6 kv_heads=2 head_dim=80 kv_len=37 page=8 shortest=0 dtype=bf16",
                "attention.decode.mma | batch=2 heads=40 kv_heads=2 head_dim=64 kv_len=131 page=5 splits=3 shortest=0.1",
                "attention.decode.mma | batch=1 heads=3 kv_heads=3 head_dim=256 kv_len=70 page=16 splits=1",
                "kv.gather.paged | batch=3 kv_heads=3 head_dim=72 kv_len=53 page=5 layout=hnd shortest=0",
                "kv.gather.paged_scalar | batch=2 kv_heads=3 head_dim=17 kv_len=29 page=4 layout=hnd dtype=f32 shortest=0",
                "quant.fp8.quantize | rows=5 cols=96 heads=3 format=e5m2 granularity=head",
                "quant.fp8.quantize | rows=19 cols=256 format=e4m3fnuz granularity=block128",
                "quant.fp8.quantize | rows=11 cols=120 heads=4 format=e5m2fnuz granularity=tensor",
                "quant.fp8.dequantize | rows=3 cols=256 format=e5m2fnuz granularity=token dtype=bf16",
                "quant.fp8.dequantize | rows=3 cols=256 format=e5m2 granularity=block128 dtype=f32",
                "quant.int4.quantize | rows=7 cols=96 group=32 symmetric=false",
                "quant.int4.dequantize | rows=7 cols=96 group=-1 dtype=f32",
                "quant.fp8.quantize_native | rows=5 cols=96 heads=3 format=e5m2 granularity=head",
                "quant.fp8.quantize_native | rows=11 cols=120 heads=5 format=e4m3 granularity=token-head",
                "quant.fp8.dequantize_native | rows=3 cols=256 format=e5m2 granularity=block128 dtype=f32",
                "quant.fp8.dequantize_native | rows=5 cols=20 format=e4m3 granularity=tensor dtype=bf16",
                "quant.w4a16_gemm.mma | rows=5 in=96 out=72 group=-1 packing=gptq_v1",
                "quant.w4a16_gemm.mma | rows=35 in=256 out=136 group=32 packing=gptq_v2 dtype=bf16",
                "quant.w4a16_gemm.mma | rows=17 in=640 out=200 group=160 packing=awq",
                "quant.w4a16_gemm.scalar | rows=3 in=40 out=136 group=8 packing=gptq_v1 dtype=bf16",
                "quant.w4a16_gemm.scalar | rows=2 in=35 out=16 group=5 packing=awq",
                "gemm.reference | m=129 n=130 k=40",
                "gemm.reference | m=1 n=2 k=8 dtype=bf16",
                "gemm.reference | m=70 n=300 k=104",
                "ceiling.tensor | dtype=i8 steps=3 waves=2",
                "ceiling.bandwidth | reads=3 writes=2 mib=1",
                "ceiling.flops | chain=7"
            })
    void oddShapesAreRight(String kernel, String axes) {
        Row row = EmulatedRows.row(System.getenv(), kernel, axes.split(" ", -1));
        if (row.status() == Status.UNSUPPORTED && String.valueOf(row.reason()).contains("has to be compiled")) {
            Assumptions.abort(row.reason());
        }
        assertEquals(Status.OK, row.status(), row::reason);
    }
}
