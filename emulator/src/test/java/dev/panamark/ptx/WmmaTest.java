package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@code wmma}: matrices in memory are loaded, multiplied and stored. How fragments are laid out nobody may know, so only what
 * is in memory afterwards is compared, with exact products.
 */
class WmmaTest {
    /**
     * A shape with formats, and how many registers fragments have (PTX ISA, "Matrix Fragments for WMMA").
     *
     * @param types of d, a, b and c
     */
    record Product(String shape, String types, int a, int b, int c, int d) {
        String type(int i) {
            List<String> all = List.of(types.split("\\."));
            return all.size() == 4 ? all.get(i) : i == 0 ? all.get(0) : i == 3 ? all.get(1) : "f16";
        }

        int extent(char name) {
            return Integer.parseInt(shape.replaceAll(".*" + name + "(\\d+).*", "$1"));
        }

        @Override
        public String toString() {
            return shape + "." + types;
        }
    }

    static List<Product> products() {
        List<Product> all = new ArrayList<>();
        for (String shape : List.of("m16n16k16", "m32n8k16", "m8n32k16")) {
            all.add(new Product(shape, "f32.f32", 8, 8, 8, 8));
            all.add(new Product(shape, "f16.f16", 8, 8, 4, 4));
            all.add(new Product(shape, "f32.f16", 8, 8, 4, 8));
            all.add(new Product(shape, "f16.f32", 8, 8, 8, 4));
            int rows = Integer.parseInt(shape.substring(1, shape.indexOf('n')));
            int columns = Integer.parseInt(shape.substring(shape.indexOf('n') + 1, shape.indexOf('k')));
            all.add(new Product(shape, "f32.bf16.bf16.f32", rows / 4, columns / 4, 8, 8));
            all.add(new Product(shape, "s32.s8.s8.s32", rows / 8, columns / 8, 8, 8));
            all.add(new Product(shape, "s32.u8.u8.s32", rows / 8, columns / 8, 8, 8));
        }
        all.add(new Product("m16n16k8", "f32.tf32.tf32.f32", 4, 4, 8, 8));
        all.add(new Product("m8n8k4", "f64.f64.f64.f64", 1, 1, 2, 2));
        all.add(new Product("m8n8k32", "s32.s4.s4.s32", 1, 1, 2, 2));
        all.add(new Product("m8n8k32", "s32.u4.u4.s32", 1, 1, 2, 2));
        return all;
    }

    /** In which order matrices are in memory, where, and how many elements lie between rows beyond their own. */
    record Place(String a, String b, String c, String d, String space, int pad) {}

    private static final List<Place> PLACES = List.of(
            new Place("row", "col", "row", "row", "global", 0),
            new Place("col", "row", "col", "col", "global", 8),
            new Place("row", "row", "row", "col", "shared", 8),
            new Place("col", "col", "col", "row", "", 16));

    /** One product with its matrices at one place. */
    record Case(Product product, Place place) {}

    static Stream<Case> cases() {
        return products().stream()
                .flatMap(product -> PLACES.stream()
                        .filter(place -> Mma.bits(product.type(1)) >= 8
                                || (place.a().equals("row") && place.b().equals("col")))
                        .map(place -> new Case(product, place)));
    }

    /** The opcodes that these tests execute. */
    static List<String> tested() {
        return cases().flatMap(c -> new Kernel(c.product(), c.place()).opcodes().stream())
                .distinct()
                .toList();
    }

    /** A matrix in memory. */
    private record Memory(String use, String type, int rows, int columns, String order, int pad) {
        int stride() {
            return (order.equals("row") ? columns : rows) + pad;
        }

        int at(int row, int column) {
            return order.equals("row") ? row * stride() + column : column * stride() + row;
        }

        int words() {
            return (stride() * (order.equals("row") ? rows : columns) * Mma.bits(type) + 31) / 32;
        }

        int[] pack(long[][] codes) {
            int[] words = new int[words()];
            int bits = Mma.bits(type);
            for (int row = 0; row < rows; row++) {
                for (int column = 0; column < columns; column++) {
                    int at = at(row, column);
                    if (bits == 64) {
                        words[2 * at] = (int) codes[row][column];
                        words[2 * at + 1] = (int) (codes[row][column] >>> 32);
                    } else {
                        words[at * bits / 32] |= (int) (codes[row][column] << (at * bits % 32));
                    }
                }
            }
            return words;
        }

        long code(int[] words, int row, int column) {
            int bits = Mma.bits(type);
            int at = at(row, column);
            return bits == 64
                    ? (words[2 * at] & 0xffffffffL) | (long) words[2 * at + 1] << 32
                    : words[at * bits / 32] >>> (at * bits % 32) & (-1L >>> (64 - bits));
        }
    }

    /** Loads, multiplies and stores once; shared memory is copied from and to global memory by lane 0 to 31. */
    private record Kernel(Product product, Place place) {
        Memory a() {
            return new Memory("a", product.type(1), product.extent('m'), product.extent('k'), place.a(), place.pad());
        }

        Memory b() {
            return new Memory("b", product.type(2), product.extent('k'), product.extent('n'), place.b(), place.pad());
        }

        Memory c() {
            return new Memory("c", product.type(3), product.extent('m'), product.extent('n'), place.c(), place.pad());
        }

        Memory d() {
            return new Memory("d", product.type(0), product.extent('m'), product.extent('n'), place.d(), place.pad());
        }

        private String access(Memory memory) {
            String space = place.space().isEmpty() ? "" : "." + place.space();
            return "wmma." + (memory.use().equals("d") ? "store." : "load.") + memory.use() + ".sync.aligned."
                    + memory.order() + "." + product.shape() + space + "." + memory.type();
        }

        private String multiply() {
            return "wmma.mma.sync.aligned." + place.a() + "." + place.b() + "." + product.shape() + "."
                    + product.types();
        }

        List<String> opcodes() {
            return List.of(access(a()), access(b()), access(c()), access(d()), multiply());
        }

        private static String names(String use, int count) {
            StringBuilder names = new StringBuilder("{");
            for (int i = 0; i < count; i++) {
                names.append(i == 0 ? "" : ", ").append("%" + use + i + "x");
            }
            return names.append("}").toString();
        }

        private static void declare(StringBuilder text, String use, String type) {
            String register = type.equals("f64") || type.equals("f32") ? type : "b32";
            text.append(".reg ." + register + " ");
            for (int i = 0; i < 8; i++) {
                text.append(i == 0 ? "" : ", ").append("%" + use + i + "x");
            }
            text.append(";\n");
        }

        String text() {
            StringBuilder text = new StringBuilder();
            declare(text, "a", a().type());
            declare(text, "b", b().type());
            declare(text, "c", c().type());
            declare(text, "d", d().type());
            boolean shared = place.space().equals("shared");
            text.append(".shared .align 128 .b8 s[8192];\nmov.u32 %r1, %laneid;\nmov.u32 %r2, s;\n");
            load(text, a(), 0, product.a(), shared);
            load(text, b(), 1, product.b(), shared);
            load(text, c(), 2, product.c(), shared);
            text.append(multiply() + " " + names("d", product.d()) + ", " + names("a", product.a()) + ", "
                    + names("b", product.b()) + ", " + names("c", product.c()) + ";\n");
            String at = shared ? "[%r2]" : "[%rd3]";
            if (shared) {
                copy(text, d(), 3, true);
            }
            text.append(access(d()) + " " + at + ", " + names("d", product.d()) + stride(d()) + ";\n");
            if (shared) {
                copy(text, d(), 3, false);
            }
            return Texts.kernel(4, text.toString());
        }

        private static String stride(Memory memory) {
            return memory.pad() == 0 ? "" : ", " + memory.stride();
        }

        private void load(StringBuilder text, Memory memory, int pointer, int registers, boolean shared) {
            if (shared) {
                copy(text, memory, pointer, true);
            }
            text.append(access(memory) + " " + names(memory.use(), registers) + ", "
                    + (shared ? "[%r2]" : "[%rd" + pointer + "]") + stride(memory) + ";\n");
        }

        /** Between a buffer and the start of shared memory. */
        private static void copy(StringBuilder text, Memory memory, int pointer, boolean in) {
            String label = (in ? "IN_" : "OUT_") + memory.use();
            text.append("bar.warp.sync -1;\nmov.u32 %r3, %r1;\n" + label
                    + ":\nmul.wide.u32 %rd8, %r3, 4;\nadd.s64 %rd9, %rd" + pointer
                    + ", %rd8;\nshl.b32 %r4, %r3, 2;\nadd.u32 %r4, %r4, %r2;\n");
            text.append(
                    in
                            ? "ld.global.b32 %r5, [%rd9];\nst.shared.b32 [%r4], %r5;\n"
                            : "ld.shared.b32 %r5, [%r4];\nst.global.b32 [%rd9], %r5;\n");
            text.append("add.u32 %r3, %r3, 32;\nsetp.lt.u32 %p1, %r3, " + memory.words() + ";\n@%p1 bra " + label
                    + ";\nbar.warp.sync -1;\n");
        }
    }

    private static long[][] random(Random random, Memory memory) {
        long[][] codes = new long[memory.rows()][memory.columns()];
        for (long[] row : codes) {
            for (int i = 0; i < row.length; i++) {
                row[i] = Mma.random(memory.type(), random);
            }
        }
        return codes;
    }

    @ParameterizedTest
    @MethodSource
    void cases(Case given) {
        Kernel kernel = new Kernel(given.product(), given.place());
        Random random = new Random(given.hashCode());
        long[][] a = random(random, kernel.a());
        long[][] b = random(random, kernel.b());
        long[][] c = random(random, kernel.c());
        Memory memory = kernel.d();
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            try (Run run = new Run("wmma.ptx", kernel.text())) {
                int[] before = random.ints(memory.words()).toArray();
                long out = run.buffer(before);
                run.launch(
                        "k",
                        Extent.of(1),
                        Extent.of(32),
                        LaunchOptions.plain().engine(engine),
                        run.buffer(kernel.a().pack(a)),
                        run.buffer(kernel.b().pack(b)),
                        run.buffer(kernel.c().pack(c)),
                        out);
                int[] got = run.ints(out, memory.words());
                int kept = 0;
                for (int row = 0; row < memory.rows(); row++) {
                    for (int column = 0; column < memory.columns(); column++) {
                        check(kernel, a[row], b, column, c[row][column], memory.code(got, row, column), engine);
                    }
                }
                // What lies between rows or columns stays.
                for (int i = 0; i < memory.words(); i++) {
                    int element = i * 32 / Mma.bits(memory.type());
                    int within = element % memory.stride();
                    if (within >= memory.stride() - memory.pad()) {
                        assertEquals(before[i], got[i], engine + ", word " + i);
                        kept++;
                    }
                }
                assertEquals(memory.pad() > 0, kept > 0);
            }
        }
    }

    private static void check(
            Kernel kernel, long[] row, long[][] b, int column, long start, long got, LaunchOptions.Engine engine) {
        BigDecimal exact = new BigDecimal(Mma.value(kernel.c().type(), start));
        double magnitude = exact.abs().doubleValue();
        for (int l = 0; l < row.length; l++) {
            BigDecimal product = new BigDecimal(Mma.value(kernel.a().type(), row[l]))
                    .multiply(new BigDecimal(Mma.value(kernel.b().type(), b[l][column])));
            exact = exact.add(product);
            magnitude += product.abs().doubleValue();
        }
        if (kernel.d().type().equals("s32")) {
            assertEquals((int) exact.longValueExact(), (int) got, engine + " " + kernel);
            return;
        }
        double unit = kernel.d().type().equals("f64") ? 0x1p-53 : 0x1p-24;
        double bound = (row.length + 1) * unit * magnitude
                + (kernel.d().type().equals("f16") ? 0x1p-11 * Math.abs(exact.doubleValue()) * 1.001 + 0x1p-25 : 0);
        double off = exact.subtract(new BigDecimal(Mma.value(kernel.d().type(), got)))
                .abs()
                .doubleValue();
        assertTrue(off <= bound, () -> engine + " " + kernel + " is off by " + off + ", more than " + bound);
    }

    /** Sums that are out of range stop with the modifier. */
    @ParameterizedTest
    @CsvSource({"'', -2147483648", "'.satfinite', 2147483647"})
    void wholeSumsWrapOrStop(String modifier, int expected) {
        String body = "mov.b32 %r1, 0x01010101;\nmov.b32 %r2, 0x7ffffff0;\n"
                + "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32" + modifier
                + " {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, {%r1, %r1}, {%r1, %r1}, {%r2, %r2, %r2, %r2, %r2,"
                + " %r2, %r2, %r2};\nst.global.b32 [%rd0], %r17;";
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            try (Run run = new Run("k.ptx", Texts.kernel(1, body))) {
                long out = run.buffer(4);
                run.launch(
                        "k", Extent.of(1), Extent.of(32), LaunchOptions.plain().engine(engine), out);
                assertEquals(expected, run.ints(out, 1)[0]);
            }
        }
    }

    /**
     * A fragment is read register by register. Of f16 in rows of 16 elements a register is 8 rows of 16 bytes: at 32 bytes from row
     * to row 8 sectors, and 2 wavefronts, since rows 4 apart share banks; at 48 bytes 8 rows touch 12 sectors, every other one
     * two, and no bank twice.
     */
    @ParameterizedTest
    @CsvSource({"global, 16, 4, 32, 0, 0, 0", "shared, 16, 0, 0, 4, 8, 4", "shared, 24, 0, 0, 4, 4, 4"})
    void fragmentsAreReadRegisterByRegister(
            String space, int stride, int global, int sectors, int shared, int wavefronts, int ideal) {
        String body =
                ".shared .align 128 .b8 s[8192];\nmov.u32 %r2, s;\nwmma.load.a.sync.aligned.row.m16n16k16." + space
                        + ".f16 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, ["
                        + (space.equals("shared") ? "%r2" : "%rd0") + "], " + stride + ";\n";
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            try (Run run = new Run("k.ptx", Texts.kernel(1, body))) {
                LaunchOptions options = LaunchOptions.plain().engine(engine).counting(true);
                Counts counts = run.launch("k", Extent.of(1), Extent.of(32), options, run.buffer(1024));
                assertEquals(global, counts.total().globalRequests(), engine.name());
                assertEquals(sectors, counts.total().globalSectors(), engine.name());
                assertEquals(space.equals("global") ? 512 : 0, counts.bytesRead(), engine.name());
                assertEquals(shared, counts.total().sharedRequests(), engine.name());
                assertEquals(wavefronts, counts.total().sharedWavefronts(), engine.name());
                assertEquals(ideal, counts.total().sharedIdeal(), engine.name());
            }
        }
    }

    /** 2 m n k of the warp. */
    @ParameterizedTest
    @CsvSource({
        "m16n16k16, f32.f32, tensor_f16, 8192",
        "m32n8k16, f16.f16, tensor_f16_acc16, 8192",
        "m16n16k8, f32.tf32.tf32.f32, tensor_tf32, 4096",
        "m8n8k4, f64.f64.f64.f64, tensor_f64, 512",
        "m8n32k16, s32.u8.u8.s32, tensor_i8, 8192"
    })
    void operationsAreCountedByType(String shape, String types, String key, long operations) {
        Product product = products().stream()
                .filter(p -> p.shape().equals(shape) && p.types().equals(types))
                .findFirst()
                .orElseThrow();
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            try (Run run = new Run("k.ptx", new Kernel(product, PLACES.getFirst()).text())) {
                long all = run.buffer(1 << 14);
                LaunchOptions options = LaunchOptions.plain().engine(engine).counting(true);
                Counts counts = run.launch("k", Extent.of(1), Extent.of(32), options, all, all, all, all);
                assertEquals(Map.of(key, operations), counts.flops());
            }
        }
    }
}
