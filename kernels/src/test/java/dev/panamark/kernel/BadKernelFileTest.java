package dev.panamark.kernel;

import static dev.panamark.kernel.KernelFiles.CPU;
import static dev.panamark.kernel.KernelFiles.DESIGN;
import static dev.panamark.kernel.KernelFiles.H100;
import static dev.panamark.kernel.KernelFiles.SAXPY;
import static dev.panamark.kernel.KernelFiles.assertHas;
import static dev.panamark.kernel.KernelFiles.fault;
import static dev.panamark.kernel.KernelFiles.problem;
import static dev.panamark.kernel.KernelFiles.read;
import static dev.panamark.kernel.KernelFiles.saxpy;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever a person may get wrong comes out as file, line, field, what came and what was expected. */
class BadKernelFileTest {

    /** Each row: a text of the good file, its replacement, where the fault is, and what is said of it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                // Top level.
                "format: panamark.kernel/1 | format: panamark.kernel/2 | :1: format: | is 'panamark.kernel/2', expected panamark.kernel/1",
                "format: panamark.kernel/1 | formt: panamark.kernel/1 | :1: format: | is missing; expected panamark.kernel/1",
                "purpose: | purpos: | :3: purpos: | unknown key 'purpos'; did you mean 'purpose'?",
                "kernel: demo.saxpy.plain | kernel: saxpy | :2: kernel: | is 'saxpy', expected two to four parts",
                "kernel: demo.saxpy.plain | kernel: a.b.c.d.e | :2: kernel: | is 'a.b.c.d.e', expected two to four parts",
                "kernel: demo.saxpy.plain | kernel: Demo.Saxpy | :2: kernel: | is 'Demo.Saxpy', expected two to four parts",
                "kernel: demo.saxpy.plain | kernel: [demo] | :2: kernel: | is a list, expected the kernel's name",
                "purpose: y = a*x + y | purpose: | :3: purpose: | is empty, expected one line",
                "purpose: y = a*x + y | kernel: demo.twice | :3: kernel: | is given twice",
                "purpose: y = a*x + y | #purpose: \"a\\eb\"# | :3: purpose: | has a control character, expected one line",
                "where: n >= tile | #\"a\\u001b[31m\": 1# | :10: a?[31m: | unknown key 'a?[31m'",
                // Axes.
                "n: [1000, 2000] | n: [] | :5: axes.n: | has no values",
                "n: [1000, 2000] | n: [1000, f16] | :5: axes.n: | mixes numbers, words",
                "n: [1000, 2000] | n: [1000, 1000] | :5: axes.n: | has the value 1000 twice",
                "n: [1000, 2000] | n: [9223372036854775808] | :5: axes.n[0]: | is '9223372036854775808', expected a whole number to 2^63-1",
                "n: [1000, 2000] | n: [a b] | :5: axes.n[0]: | is 'a b', expected a whole number",
                "n: [1000, 2000] | n: {cpu: [1]} | :5: axes.n.values: | is missing; expected the default values",
                "n: [1000, 2000] | n: {values: [1], gpu: [1]} | :5: axes.n.gpu: | unknown key 'gpu'; did you mean 'cpu'?",
                "n: [1000, 2000] | min: [1] | :5: axes.min: | has a meaning in expressions",
                "n: [1000, 2000] | n-1: [1] | :5: axes.n-1: | 'n-1' is no name",
                // Lets and conditions.
                "blocks: ceil(n/tile) | blocks: ceil(m/tile) | :9: let.blocks: | unknown name 'm'",
                "blocks: ceil(n/tile) | blocks: blocks + 1 | :9: let.blocks: | depends on itself: blocks -> blocks",
                "blocks: ceil(n/tile) | n: 3 | :9: let.n: | 'n' is an axis as well",
                "blocks: ceil(n/tile) | blocks: [1] | :9: let.blocks: | is a list, expected a number or an expression",
                "where: n >= tile | where: n => tile | :10: where: | is not an expression",
                "where: n >= tile | where: [n >= tyle] | :10: where[0]: | unknown name 'tyle'; did you mean 'tile'?",
                // Images.
                "file: saxpy.cu | file: missing.cu | :13: images.cuda.file: | 'missing.cu' does not exist",
                "file: saxpy.cu | file: . | :13: images.cuda.file: | '.' is a directory",
                "file: saxpy.cu | arch: ampere, file: saxpy.cu | :13: images.cuda.arch: | 'ampere' is no architecture, expected one such as sm_89",
                "file: saxpy.cu | arch: sm_90f, file: saxpy.cu | :13: images.cuda.arch: | 'sm_90f' is no architecture",
                "file: saxpy.c, | file: saxpy.c, arch: sm_89, | :12: images.cpu.arch: | unknown key 'arch'",
                "file: saxpy.cu | files: saxpy.cu | :13: images.cuda.files: | unknown key 'files'; did you mean 'file'?",
                "cuda: {file: saxpy.cu} | metal: {file: saxpy.cu} | :13: images.metal: | unknown key 'metal'",
                "-DTILE=$tile | -DTILE=$tyle | :12: images.cpu.options[0]: | unknown name 'tyle'; did you mean 'tile'?",
                "-DTILE=$tile | -DTILE=$ | :12: images.cpu.options[0]: | has a $ without a name",
                // Buffers.
                "type: $dtype | type: $dtipe | :15: buffers.x.type: | unknown name 'dtipe'; did you mean 'dtype'?",
                "type: $dtype | type: fp32 | :15: buffers.x.type: | unknown type 'fp32'; expected one of f64, f32",
                "dtype: [f32] | dtype: [fp32] | :15: buffers.x.type: | unknown type 'fp32'; expected one of f64, f32",
                "x: {type: $dtype, | x: { | :15: buffers.x.type: | is missing; expected one of f64",
                "x: {type: $dtype, shape: [n], fill: normal} | x: {type: f32, shape: [n]} | :15: buffers.x: | has neither role nor fill",
                "shape: [n], fill: normal | shape: n, fill: normal | :15: buffers.x.shape: | is 'n', expected a list of extents",
                "shape: [n], fill: normal | shape: [m], fill: normal | :15: buffers.x.shape[0]: | unknown name 'm'",
                "fill: normal} | fill: normla} | :15: buffers.x.fill: | is 'normla', expected one of normal",
                "fill: normal} | fill: {norml: {}}} | :15: buffers.x.fill: | is 'norml', expected one of normal",
                "fill: normal} | fill: {normal: {sd: 1}}} | :15: buffers.x.fill.normal.sd: | unknown key 'sd'",
                "fill: normal} | fill: {lengths: uniform}} | :15: buffers.x.fill.max: | is missing; expected the largest length",
                "fill: normal} | fill: normal, scale: xs} | :15: buffers.x.scale: | unknown buffer 'xs'",
                "fill: normal} | fill: normal, scale: y} | :15: buffers.x: | needs fill: {amax_of: x, max: }",
                "fill: normal} | fill: {amax_of: x, max: 448}} | :15: buffers.x.fill: | scales itself",
                "fill: normal} | fill: {amax_of: y, max: 448, dims: [1]}} | :15: buffers.x.fill: | dims [1] do not fit; expected 1 different dimensions of y, from 0 to 0",
                "fill: normal} | fill: normal, unused: nan} | :15: buffers.x: | no buffer has fill {page_table: }",
                "fill: normal} | fill: normal, check: {rule: exact}} | :15: buffers.x.check: | is for outputs, and this buffer is an input",
                "fill: normal} | fill: normal, restore: copy} | :15: buffers.x.restore: | is for role: inout",
                "fill: normal} | fill: normal, range: [1]} | :15: buffers.x.range: | has 1 values, expected [low, high)",
                "role: inout, fill: {uniform: {min: -1, max: 1}} | role: inout | :16: buffers.y.fill: | is missing; expected one of normal",
                "role: inout | role: output | :16: buffers.y.fill: | is for what a kernel reads; outputs and scratch are poisoned",
                "role: inout | role: in | :16: buffers.y.role: | is 'in', expected one of input, output, inout, scratch",
                "restore: copy | check: {rule: close-ish} | :16: buffers.y.check.rule: | is 'close-ish', expected one of exact, close",
                "restore: copy | check: {rule: exact, atol: 1} | :16: buffers.y.check: | rule exact takes no atol",
                "restore: copy | check: {rule: cosine} | :16: buffers.y.check.rtol: | is missing; expected the largest 1 - cosine",
                "restore: copy | check: {base: 10} | :16: buffers.y.check.base: | is '10', expected one of e, 2",
                // Steps.
                "entry: saxpy, | | :18: steps[0].entry: | is missing; expected the name of a function",
                "entry: saxpy, | entry: 9saxpy, | :18: steps[0].entry: | is '9saxpy', which is no name of a function",
                "grid: [blocks] | grid: [1, 1, 1, 1] | :18: steps[0].grid: | has 4 extents, expected one to three",
                "grid: [blocks] | grid: [blox] | :18: steps[0].grid[0]: | unknown name 'blox'",
                "args: [x, y, | args: [x, z, | :18: steps[0].args[1]: | unknown buffer 'z'",
                "args: [x, y, | args: [x, | :16: buffers.y: | is an inout that no step has among its args",
                "{i64: n} | {int: n} | :18: steps[0].args[2]: | unknown parameter 'int'; expected a buffer, {i32: }",
                "{i64: n} | {i64: n, i32: n} | :18: steps[0].args[2]: | has 2 keys, expected one of a buffer",
                "{i64: n} | {struct: []} | :18: steps[0].args[2].struct: | is empty, expected at least one member",
                "{i64: n} | {tensor_map: tx} | :18: steps[0].args[2].tensor_map: | unknown tensor map 'tx'; there are none",
                "block: [tile], | block: [tile], cooperative: maybe, | :18: steps[0].cooperative: | is 'maybe', expected one of true, false",
                "- {entry: saxpy, grid: [blocks], block: [tile], args: [x, y, {i64: n}, {f32: 2.5}]} | - {memset: y, value: 0} | :18: steps: | has no launch",
                "steps: | #steps:\n  - {memset: y, value: 256}# | :18: steps[0].value: | is '256', expected a byte from 0 to 255",
                "steps: | #steps:\n  - {memset: x}# | :18: steps: | memset writes 'x', which is an input",
                // Work and check.
                "reads: bytes(x) + bytes(y) | | :20: work.reads: | is missing; expected bytes that must be read",
                "writes: bytes(y) | writes: bytes(z) | :22: work.writes: | unknown buffer 'z'",
                "writes: bytes(y) | writes: y | :22: work.writes: | uses the buffer 'y' as a number",
                "writes: bytes(y) | writes: bytes(2*y) | :22: work.writes: | passes '*' to a function of buffers",
                "writes: bytes(y) | writes: unique(x, y) | :22: work.writes: | unique(x, y) needs a pool of pages",
                "fma_f32: 2*n | FMA f32: 2*n | :20: work.flops.FMA f32: | 'FMA f32' is no class of operations",
                "fma_f32: 2*n | fma_$type: 2*n | :20: work.flops.fma_$type: | unknown name 'type'",
                "writes: bytes(y) | #writes: bytes(y)\n  tokens: {count: n}# | :23: work.tokens.kind: | is missing; expected prefill, decode or moved",
                "reference: saxpy, | | :23: check: | has none of reference, against and oracle: true",
                "reference: saxpy, | reference: saxpy, oracle: true, | :23: check: | has more than one of",
                "reference: saxpy, | reference: saxpy, against: a.b, | :23: check: | has more than one of reference, against and oracle: true",
                "a: 2.5, | a: 2.5*m, | :23: check.conventions.a: | unknown name 'm'",
                "order: n-major} | order: n-major}, buffers: {x: xx} | :23: check.buffers.x: | unknown buffer 'xx'; did you mean 'x'?",
                // YAML itself.
                "  n: [1000, 2000] | #  n: [1000, 2000#  | :6: | is not YAML",
                "  n: [1000, 2000] | #\tn: [1000, 2000]# | :5: | has a tab in the indentation",
                "n: [1000, 2000] | n: &a [1000, 2000] | :5: | uses an anchor",
                "n: [1000, 2000] | n: *a | :5: | uses an alias",
                "n: [1000, 2000] | n: !!set {1000} | :5: | uses a tag",
                "purpose: y | #purpose: z\n---\npurpose: y# | :4: | has a second document",
            })
    void atLoading(String from, String to, String where, String what, @TempDir Path dir) {
        String replacement = to == null ? "" : to.replace("\\n", "\n").replace("\\t", "\t");
        String yaml = saxpy(from, replacement);
        assertHas(fault(() -> read(dir, yaml)), dir.resolve("k.yaml") + where, what);
    }

    /** Faults that only a problem brings out. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                "grid: [blocks] | grid: [blocks - 16] | :18: steps[0].grid[0]: | is 0, expected a whole number of at least 1 (blocks=16)",
                "grid: [blocks] | grid: [n/64] | :18: steps[0].grid[0]: | is 15.625, expected a whole number (n=1000)",
                "block: [tile] | block: [tile - 64] | :18: steps[0].block[0]: | is 0, expected a whole number of at least 1 (tile=64)",
                "block: [tile], | | :18: steps[0].block: | is missing; expected the threads of a block, needed on cuda",
                "blocks: ceil(n/tile) | blocks: ceil(n/(tile-64)) | :9: let.blocks: | division by zero (n=1000 tile=64)",
                "blocks: ceil(n/tile) | blocks: pow(2, 70) | :9: let.blocks: | is 1180591620717411303424, beyond 2^63-1",
                "shape: [n], fill: normal | shape: [n-1000], fill: normal | :15: buffers.x.shape[0]: | is 0, expected a whole number of at least 1 (n=1000)",
                "shape: [n], fill: normal | shape: [dtype], fill: normal | :15: buffers.x.shape[0]: | is the word 'f32', expected a number",
                "shape: [n], fill: normal | #shape: [n, 4e9, 4e9], fill: normal# | :15: buffers.x: | takes more than 2^63-1 bytes",
                "type: $dtype | type: $tile | :15: buffers.x.type: | unknown type '64'; expected one of",
                "type: $dtype | type: $blocks | :15: buffers.x.type: | '$blocks' is '16'; expected one of",
                "{i64: n} | {i32: 3000000*n} | :18: steps[0].args[2].i32: | is 3000000000, which i32 does not hold (n=1000)",
                "{i64: n} | {u8: n} | :18: steps[0].args[2].u8: | is 1000, which u8 does not hold",
                "{i64: n} | {u32: 0-n} | :18: steps[0].args[2].u32: | is -1000, expected a whole number of at least 0",
                "{f32: 2.5} | {f32: 1e39} | :18: steps[0].args[3].f32: | beyond the range of f32",
                "type: $dtype, shape: [n], fill: normal | type: i32, shape: [n], fill: normal | :15: buffers.x.fill: | fill normal makes reals, but the type is i32",
                "type: $dtype, shape: [n], fill: normal | type: i32, shape: [n], fill: uniform | :15: buffers.x.fill: | needs min and max for i32",
                "type: $dtype, shape: [n], fill: normal | type: u8, shape: [n], fill: {constant: 256} | :15: buffers.x.fill.constant: | is 256, expected a whole number that u8 holds",
                "type: $dtype, shape: [n], fill: normal | type: i32, shape: [n], fill: iota, range: [0, 999] | :15: buffers.x.range: | fill makes values from 0 to 999, outside [0, 999)",
                "type: $dtype, shape: [n], fill: normal | type: i32, shape: [n], fill: iota, range: [5, 5] | :15: buffers.x.range: | [5, 5) is empty",
                "type: $dtype, shape: [n], fill: normal | type: i32, shape: [n], fill: {lengths: uniform, min: 9, max: 3} | :15: buffers.x.fill: | min 9 is above max 3",
                "fill: normal} | fill: {normal: {stdev: 0}}} | :15: buffers.x.fill.normal.stdev: | expected a standard deviation above 0",
                "fill: {uniform: {min: -1, max: 1}} | fill: {uniform: {min: 1, max: -1}} | :16: buffers.y.fill: | min 1.0 is not below max -1.0",
                "restore: copy | check: {atol: 0-1} | :16: buffers.y.check.atol: | is -1.0, expected 0 or more",
                "type: $dtype, shape: [n], fill: normal | type: u8, shape: [n], fill: iota | :15: buffers.x.fill: | makes values from 0 to 999, which u8 does not hold",
                "writes: bytes(y) | writes: bytes(y) + sum(x) | :22: work.writes: | sum() adds up 'x' of type f32; expected an integer type",
                "writes: bytes(y) | writes: bytes(y)/(n-1000) | :22: work.writes: | division by zero (n=1000)",
                "writes: bytes(y) | writes: 0-bytes(y) | :22: work.writes: | is -4000, expected 0 or more",
                "where: n >= tile | where: n | :10: where: | is the number 1000, expected a comparison",
            })
    void atAProblem(String from, String to, String where, String what, @TempDir Path dir) {
        String yaml = saxpy(from, to == null ? "" : to);
        String message = fault(() -> {
            Kernel kernel = read(dir, yaml);
            kernel.instance(problem(kernel, H100), H100);
        });
        assertHas(message, dir.resolve("k.yaml") + where, what);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                "shape: [num_pages, 2, page, kv_heads | shape: [num_pages, 2, 16, kv_heads | buffers.kv: | 'page' (the page of table) is not written exactly once in its shape",
                "shape: [num_pages, 2, page, kv_heads | shape: [num_pages, page, page, kv_heads | buffers.kv: | expected paging: {table: table, page_dim: , slot_dim: }",
                "shape: [num_pages, 2, page, kv_heads | shape: [num_pages, kv_heads, page, kv_heads | buffers.ks.fill: | 'kv_heads' is not written exactly once in the shape of kv; expected dims: [..]",
                "ks:    {type: f32, shape: [kv_heads] | ks:    {type: f32, shape: [heads] | buffers.ks.fill: | 'heads' is not written exactly once in the shape of kv",
                "{lens: lens, page: page | {lens: table, page: page | buffers.table.fill: | takes lengths from 'table', which has no fill {lengths: }",
                "{lens: lens, page: page | {lens: lense, page: page | buffers.table.fill.page_table.lens: | unknown buffer 'lense'; did you mean 'lens'?",
                "order: random | order: shuffled | buffers.table.fill.page_table.order: | is 'shuffled', expected one of random, sequential",
                "tensor_maps: {} | tensor_maps: {tk: {of: kv, dims: [1, 2], strides: [], box: [1, 1]}} | tensor_maps.tk: | has 2 dims, 0 strides and 2 box extents",
                "unused: nan, fill: normal, scale: ks | unused: nan, fill: normal, scale: ks, paging: {table: lens, slot_dim: 2} | buffers.kv: | paging.table 'lens' has no fill {page_table: }",
            })
    void betweenBuffers(String from, String to, String where, String what, @TempDir Path dir) {
        assertTrue(DESIGN.contains(from), from);
        assertHas(fault(() -> read(dir, DESIGN.replace(from, to))), where, what);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                "pages: ceil(kv_len/page) | pages: floor(kv_len/page) - 1 | buffers.table.fill: | a sequence of 1024 tokens takes 64 pages of 16, more than the 63 that a row of table has",
                "num_pages: batch*pages | num_pages: batch*pages - 1 | buffers.table.fill: | 8 sequences of 1024 tokens take 512 pages, more than the 511 of kv",
                "range: [0, num_pages] | range: [0, 500] | buffers.table.range: | fill makes values from 0 to 511, outside [0, 500)",
                "shape: [batch, pages], | shape: [pages, batch], | buffers.table.fill: | a page table of shape [64x8] does not fit lengths of shape [8]",
                "unused: 2147480000 | unused: 4294967296 | buffers.table.unused: | is 4294967296, which i32 does not hold",
                "unused: 2147480000 | unused: nan | buffers.table.unused: | which i32 does not hold",
                "unused: nan, fill: normal, scale: ks | unused: nan, fill: normal, scale: ks, paging: {table: table, slot_dim: 7} | buffers.kv: | paging dimensions 0 and 7 do not fit",
                "order: random | order: $dtype | buffers.table.fill.page_table.order: | '$dtype' is 'f16', expected one of random, sequential",
                "page_table: {lens: lens, page: page | page_table: {lens: lens, page: 2*page | buffers.kv: | '2*page' (the page of table) is not written",
                "amax_of: kv, max: 448} | amax_of: kv, max: 448, dims: [2]} | buffers.ks.fill: | dimension 0 of ks [8] and dimension 2 of kv [512x2x16x8x128] differ in extent",
                "unused: nan, fill: normal, scale: ks | packed: 2, unused: nan, fill: normal, scale: ks | buffers.kv.packed: | packs codes of four bits, expected an input of type u8 with a scale, not input of f16",
                "unused: nan, fill: normal, scale: ks | packed: 3, unused: nan, fill: normal, scale: ks | buffers.kv.packed: | is 3, expected 1, or 2 codes of four bits in a u8",
                "rule: twice-native | rule: $dtype | buffers.out.check.rule: | is 'f16', expected one of exact, close",
                "amax_of: kv, max: 448} | amax_of: kv, max: -1} | buffers.ks.fill.max: | expected a magnitude above 0, or 0 for scales of 1",
                "#4*heads*head_dim*pairs(lens)# | 4*heads/(page-16) | work.flops.tensor_$dtype: | division by zero (heads=32 page=16)",
            })
    void betweenBuffersAtAProblem(String from, String to, String where, String what, @TempDir Path dir) {
        assertTrue(DESIGN.contains(from), from);
        String message = fault(() -> {
            Kernel kernel = read(dir, DESIGN.replace(from, to));
            kernel.instance(problem(kernel, H100), H100);
        });
        assertHas(message, where, what);
    }

    @Test
    void filesThatAreNoText(@TempDir Path dir) throws IOException {
        Path file = dir.resolve("k.yaml");
        assertHas(fault(() -> Kernel.read(file)), file + ": there is no such file");
        assertHas(fault(() -> Kernel.read(dir)), "is a directory, expected a kernel file");
        Files.write(file, new byte[0]);
        assertHas(fault(() -> Kernel.read(file)), file + ": is empty, expected a kernel file");
        Files.writeString(file, "\n  \n");
        assertHas(fault(() -> Kernel.read(file)), file + ": is empty");
        Files.writeString(file, "# nothing\n");
        assertHas(fault(() -> Kernel.read(file)), file + ": is empty");
        Files.write(file, new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1, 0});
        assertHas(fault(() -> Kernel.read(file)), file + ":1: is binary (byte 0x7f)");
        Files.write(file, "format: panamark.kernel/1\nkernel: \u0000\n".getBytes(StandardCharsets.UTF_8));
        assertHas(fault(() -> Kernel.read(file)), file + ":2: is binary (byte 0x00)");
        Files.write(file, "format: x\npurpose: Zürich\n".getBytes(StandardCharsets.ISO_8859_1));
        assertHas(fault(() -> Kernel.read(file)), file + ":2: is not UTF-8 text (byte 0xfc)");
        Files.write(file, new byte[(1 << 20) + 1]);
        assertHas(fault(() -> Kernel.read(file)), file + ": is larger than 1 MiB");
        Files.writeString(file, "[]\n");
        assertHas(fault(() -> Kernel.read(file)), file + ":1: is a list, expected a kernel file");
        Files.writeString(file, "hello\n");
        assertHas(fault(() -> Kernel.read(file)), file + ":1: is 'hello', expected a kernel file");
        Files.writeString(file, "? [a, b]\n: 1\n");
        assertHas(fault(() -> Kernel.read(file)), file + ":1: has a key that is a list");
    }

    @Test
    void filesThatWouldExhaustTheMachine(@TempDir Path dir) {
        String deep = "format: panamark.kernel/1\nkernel: " + "[".repeat(100_000) + "\n";
        assertHas(fault(() -> read(dir, deep)), ":2: is nested deeper than 32 levels");
        String deepBlocks = "format: panamark.kernel/1\nkernel:\n" + "- ".repeat(100_000) + "x\n";
        assertHas(fault(() -> read(dir, deepBlocks)), "is nested deeper than 32 levels");
        StringBuilder laughs = new StringBuilder("a0: &a0 [x, x, x, x]\n");
        for (int i = 1; i < 30; i++) {
            laughs.append("a%d: &a%d [*a%d, *a%d, *a%d, *a%d]\n".formatted(i, i, i - 1, i - 1, i - 1, i - 1));
        }
        assertHas(fault(() -> read(dir, laughs.toString())), ":1: uses an anchor");
        StringBuilder lets = new StringBuilder("let:\n  a0: n\n");
        for (int i = 1; i < 200; i++) {
            lets.append("  a%d: a%d*a%d\n".formatted(i, i - 1, i - 1));
        }
        assertHas(fault(() -> read(dir, saxpy("let:\n", lets.toString()))), "needs a chain of more than 20 lets");
        StringBuilder squares = new StringBuilder("let:\n  a0: n\n");
        for (int i = 1; i < 15; i++) {
            squares.append("  a%d: a%d*a%d\n".formatted(i, i - 1, i - 1));
        }
        String growing = saxpy("let:\n", squares.toString()).replace("grid: [blocks]", "grid: [a14]");
        assertHas(
                fault(() -> {
                    Kernel kernel = read(dir, growing);
                    kernel.instance(problem(kernel, CPU), CPU);
                }),
                "let.a3",
                "beyond 2^63-1");
    }

    @Test
    void theGoodFileIsGood(@TempDir Path dir) {
        Kernel kernel = read(dir, SAXPY);
        assertTrue(kernel.instance(problem(kernel, CPU), CPU) instanceof Resolution.Ready);
    }
}
