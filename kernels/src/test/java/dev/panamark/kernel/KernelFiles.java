package dev.panamark.kernel;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Kernel files for tests. */
final class KernelFiles {
    /** The example of the design document, unchanged. */
    static final String DESIGN = """
            format: panamark.kernel/1
            kernel: attention.decode.split_kv            # family.subfamily.variant
            purpose: paged decode, split over KV, two kernels
            axes:                                        # -a kv_len=1024,4096   -a "kv_len[pow2]=9:14"   zip: [[a, b]]
              batch: [8]
              heads: [32]
              kv_heads: [8]
              head_dim: [128]
              kv_len: {values: [1024, 8192], cpu: [512], emu: [256]}
              page: [16, 64]
              dtype: [f16, bf16]
              kv_dtype: [f16, e4m3]
            let:                                         # device.* that a device lacks makes the clause `unsupported`
              smem: 2*page*head_dim*2
              pages: ceil(kv_len/page)
              num_pages: batch*pages
              splits: "min(32, ceil(2*device.units/(batch*kv_heads)))"
            where: ["heads % kv_heads == 0", "smem <= device.shared_block"]
            images:
              cuda: [{when: "device.cc >= 80", file: split_kv.cu, options: ["-DHEAD_DIM=$head_dim"]}]
              hip: [{file: split_kv.hip}]
              cpu: [{file: split_kv.c}]               # compiled by cc at first use, cached by hash: the same for built-ins and users
              # also .ptx .cubin .fatbin .hsaco; host: {cuda: launch.so} = int f(const void** args, void* stream)
            buffers:
              q:     {type: $dtype, shape: [batch, heads, head_dim], fill: normal}
              lens:  {type: i32, shape: [batch], fill: {lengths: uniform, min: 1, max: kv_len}}
              table: {type: i32, shape: [batch, pages], range: [0, num_pages], unused: 2147480000,
                      fill: {page_table: {lens: lens, page: page, order: random}}}
              kv:    {type: $kv_dtype, shape: [num_pages, 2, page, kv_heads, head_dim], unused: nan, fill: normal, scale: ks}
              ks:    {type: f32, shape: [kv_heads], fill: {amax_of: kv, max: 448}}
              part:  {type: f32, shape: [splits, batch, heads, head_dim+2], role: scratch}
              out:   {type: $dtype, shape: [batch, heads, head_dim], role: output, check: {rule: twice-native, atol: 1e-5}}
              lse:   {type: f32, shape: [batch, heads], role: output, check: {atol: 1e-3, base: e, empty: -inf}}
              # role: inout with restore: copy for in-place kernels (outside the timing; graphs rotate copies)
            tensor_maps: {}                              # {tk: {of: kv, dims: [], strides: [], box: [], swizzle: 128B, oob: zero}}
            steps:                                       # one or more launches, timed as one
              - {entry: decode_split, grid: [splits, kv_heads, batch], block: [128], smem: smem,
                 args: [q, kv, ks, table, lens, part, {i32: splits}, {f32: "1/sqrt(head_dim)"}]}
              - {entry: decode_merge, grid: [heads, batch], block: [128], args: [part, out, lse, {i32: splits}]}
              # also {memset: buffer, value: 0}; cluster: [2,1,1]; cooperative: true; {ptr: {f32: scale}}; {struct: [...]}
            work:
              flops: {"tensor_$dtype": "4*heads*head_dim*pairs(lens)"}   # query-key pairs really attended
              reads: "unique(kv, table) + bytes(q)"
              writes: bytes(out)
              tokens: {count: batch, kind: decode}       # prefill | decode | moved
            check: {reference: attention, conventions: {scale: 1/sqrt(head_dim), causal: bottom-right}}
            """;

    /** A small kernel, one key a line, for tests that change one line. */
    static final String SAXPY = """
            format: panamark.kernel/1
            kernel: demo.saxpy.plain
            purpose: y = a*x + y
            axes:
              n: [1000, 2000]
              dtype: [f32]
              tile: {values: [64], cpu: [128, 256]}
            let:
              blocks: ceil(n/tile)
            where: n >= tile
            images:
              cpu: {file: saxpy.c, options: ["-DTILE=$tile"]}
              cuda: {file: saxpy.cu}
            buffers:
              x: {type: $dtype, shape: [n], fill: normal}
              y: {type: f32, shape: [n], role: inout, fill: {uniform: {min: -1, max: 1}}, restore: copy}
            steps:
              - {entry: saxpy, grid: [blocks], block: [tile], args: [x, y, {i64: n}, {f32: 2.5}]}
            work:
              flops: {fma_f32: 2*n}
              reads: bytes(x) + bytes(y)
              writes: bytes(y)
            check: {reference: saxpy, conventions: {a: 2.5, order: n-major}}
            """;

    static final DeviceValues H100 = new DeviceValues(
            "cuda", Map.of("units", 132, "warp", 32, "cc", 90, "shared_block", 232_448, "memory", 80L << 30));
    static final DeviceValues CPU = new DeviceValues("cpu", Map.of("units", 8, "warp", 1, "memory", 16L << 30));

    private KernelFiles() {}

    /** Writes a kernel file and an empty file for every image that the tests' kernels name. */
    static Path write(Path dir, String yaml) {
        try {
            for (String image : List.of("split_kv.cu", "split_kv.hip", "split_kv.c", "saxpy.c", "saxpy.cu")) {
                Files.writeString(dir.resolve(image), "/* " + image + " */\n");
            }
            return Files.writeString(dir.resolve("k.yaml"), yaml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Kernel read(Path dir, String yaml) {
        return Kernel.read(write(dir, yaml));
    }

    /** SAXPY with one text replaced by another, which must be there. */
    static String saxpy(String from, String to) {
        assertTrue(SAXPY.contains(from), from);
        return SAXPY.replace(from, to);
    }

    static Problem problem(Kernel kernel, DeviceValues device, String... overrides) {
        return kernel.problems(
                        device.backend(),
                        Arrays.stream(overrides).map(AxisOverride::parse).toList(),
                        Optional.empty())
                .getFirst();
    }

    static Instance ready(Kernel kernel, DeviceValues device, String... overrides) {
        return assertInstanceOf(Resolution.Ready.class, kernel.instance(problem(kernel, device, overrides), device))
                .instance();
    }

    static String fault(org.junit.jupiter.api.function.Executable what) {
        return String.valueOf(assertThrows(KernelFileException.class, what).getMessage());
    }

    static void assertHas(String message, String... fragments) {
        for (String fragment : fragments) {
            assertTrue(message.contains(fragment), () -> "'" + fragment + "' is not in: " + message);
        }
    }
}
