package dev.panamark.ptx;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * An {@code mma.sync} with where its elements are, written down from the PTX ISA section by section ("Matrix Fragments for
 * mma.m8n8k4" and so on), and a kernel that runs one a block.
 *
 * @param text the opcode
 * @param a format of the elements, such as {@code s8}
 */
record Mma(String text, int m, int n, int k, String d, String a, String b, String c) {
    static Mma of(String text) {
        List<String> parts = List.of(text.split("\\."));
        String shape = parts.get(3);
        int at = parts.size();
        return new Mma(
                text,
                Integer.parseInt(shape.substring(1, shape.indexOf('n'))),
                Integer.parseInt(shape.substring(shape.indexOf('n') + 1, shape.indexOf('k'))),
                Integer.parseInt(shape.substring(shape.indexOf('k') + 1)),
                parts.get(at - 4),
                parts.get(at - 3),
                parts.get(at - 2),
                parts.get(at - 1));
    }

    /** What ptxas 13.0 assembles for sm_90, one of each pair of formats that are alike but once. */
    static List<Mma> all() {
        List<String> texts = new ArrayList<>();
        for (String shape : List.of("m16n8k8", "m16n8k16")) {
            for (String types : List.of("f32.f16.f16.f32", "f16.f16.f16.f16", "f32.bf16.bf16.f32")) {
                texts.add("mma.sync.aligned." + shape + ".row.col." + types);
            }
        }
        texts.add("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32");
        texts.add("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32");
        for (String shape : List.of("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16")) {
            texts.add("mma.sync.aligned." + shape + ".row.col.f64.f64.f64.f64");
        }
        for (String shape : List.of("m8n8k16", "m16n8k16", "m16n8k32")) {
            for (String types : List.of("s8.s8", "u8.u8", "s8.u8", "u8.s8")) {
                texts.add("mma.sync.aligned." + shape + ".row.col.s32." + types + ".s32");
                texts.add("mma.sync.aligned." + shape + ".row.col.satfinite.s32." + types + ".s32");
            }
        }
        for (String shape : List.of("m8n8k32", "m16n8k32", "m16n8k64")) {
            for (String types : List.of("s4.s4", "u4.u4", "s4.u4", "u4.s4")) {
                texts.add("mma.sync.aligned." + shape + ".row.col.s32." + types + ".s32");
                texts.add("mma.sync.aligned." + shape + ".row.col.satfinite.s32." + types + ".s32");
            }
        }
        for (String shape : List.of("m16n8k16", "m16n8k32")) {
            for (String types : List.of("e4m3.e4m3", "e5m2.e5m2", "e4m3.e5m2", "e5m2.e4m3")) {
                texts.add("mma.sync.aligned." + shape + ".row.col.f32." + types + ".f32");
                texts.add("mma.sync.aligned." + shape + ".row.col.f16." + types + ".f16");
            }
        }
        return texts.stream().map(Mma::of).toList();
    }

    boolean saturates() {
        return text.contains("satfinite");
    }

    boolean whole() {
        return d.equals("s32");
    }

    @Override
    public String toString() {
        return text;
    }

    static int bits(String type) {
        return switch (type) {
            case "s4", "u4" -> 4;
            case "s8", "u8", "e4m3", "e5m2" -> 8;
            case "f16", "bf16" -> 16;
            case "f64" -> 64;
            default -> 32;
        };
    }

    /** Elements of a register. */
    static int perRegister(String type) {
        return Math.max(1, 32 / bits(type));
    }

    /** Row and column of element i of A. */
    int[] placeOfA(int lane, int i) {
        int g = lane >> 2;
        int t = lane % 4;
        return switch (m + "x" + k + "x" + bits(a)) {
            case "8x4x64" -> new int[] {g, t};
            case "8x16x8" -> new int[] {g, t * 4 + i};
            case "8x32x4" -> new int[] {g, t * 8 + i};
            case "16x4x32", "16x4x64" -> new int[] {i == 0 ? g : g + 8, t};
            case "16x8x16" -> new int[] {i < 2 ? g : g + 8, t * 2 + (i & 1)};
            case "16x8x32", "16x8x64" -> new int[] {i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
            case "16x16x16" -> new int[] {i < 2 || (4 <= i && i < 6) ? g : g + 8, t * 2 + (i & 1) + (i < 4 ? 0 : 8)};
            case "16x16x64" -> new int[] {i % 2 == 0 ? g : g + 8, i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t};
            case "16x16x8" -> new int[] {i < 4 ? g : g + 8, t * 4 + (i & 3)};
            case "16x32x8" -> new int[] {i < 4 || (8 <= i && i < 12) ? g : g + 8, t * 4 + (i & 3) + (i < 8 ? 0 : 16)};
            case "16x32x4" -> new int[] {i < 8 ? g : g + 8, t * 8 + (i & 7)};
            case "16x64x4" -> new int[] {i < 8 || (16 <= i && i < 24) ? g : g + 8, t * 8 + (i & 7) + (i < 16 ? 0 : 32)};
            default -> throw new IllegalArgumentException("no section for A of " + text);
        };
    }

    /** Row and column of element i of B. */
    int[] placeOfB(int lane, int i) {
        int g = lane >> 2;
        int t = lane % 4;
        int row = switch (k + "x" + bits(b)) {
            case "4x64", "4x32" -> t;
            case "16x8" -> t * 4 + i;
            case "32x4" -> t * 8 + i;
            case "8x16" -> t * 2 + i;
            case "8x32", "8x64" -> i == 0 ? t : t + 4;
            case "16x16" -> t * 2 + (i & 1) + (i < 2 ? 0 : 8);
            case "16x64" -> t + i * 4;
            case "32x8" -> t * 4 + (i & 3) + (i < 4 ? 0 : 16);
            case "64x4" -> t * 8 + (i & 7) + (i < 8 ? 0 : 32);
            default -> throw new IllegalArgumentException("no section for B of " + text);
        };
        return new int[] {row, g};
    }

    /** Row and column of element i of C or D. */
    static int[] placeOfC(int lane, int i) {
        return new int[] {i < 2 ? lane >> 2 : (lane >> 2) + 8, lane % 4 * 2 + (i & 1)};
    }

    /** A matrix of codes by row and column. */
    interface Codes {
        long at(int row, int column);
    }

    private interface Place {
        int[] of(int lane, int i);
    }

    private static void pack(int[] words, int from, int elements, String type, Place place, Codes codes) {
        int bits = bits(type);
        int e = perRegister(type);
        for (int i = 0; i < elements; i++) {
            for (int lane = 0; lane < 32; lane++) {
                int[] at = place.of(lane, i);
                long code = codes.at(at[0], at[1]);
                if (bits == 64) {
                    words[from + 2 * (32 * i + lane)] = (int) code;
                    words[from + 2 * (32 * i + lane) + 1] = (int) (code >>> 32);
                } else {
                    long mask = -1L >>> (64 - bits);
                    words[from + 32 * (i / e) + lane] |= (int) ((code & mask) << (bits * (i % e)));
                }
            }
        }
    }

    private int words(String type, int rows, int columns) {
        return rows * columns * bits(type) / 32;
    }

    private int registers(String type, int rows, int columns) {
        return rows * columns / 32 / perRegister(type);
    }

    /** One product a block. */
    record Batch(List<Codes> a, List<Codes> b, List<Codes> c) {}

    /** Codes of D of each block, by row and column. */
    List<long[][]> run(LaunchOptions.Engine engine, Batch batch) {
        int blocks = batch.a().size();
        int wordsA = words(a, m, k);
        int wordsB = words(b, k, n);
        int wordsC = words(c, m, n);
        int[] dataA = new int[blocks * wordsA];
        int[] dataB = new int[blocks * wordsB];
        int[] dataC = new int[blocks * wordsC];
        for (int i = 0; i < blocks; i++) {
            pack(dataA, i * wordsA, m * k / 32, a, this::placeOfA, batch.a().get(i));
            pack(dataB, i * wordsB, k * n / 32, b, this::placeOfB, batch.b().get(i));
            pack(dataC, i * wordsC, m * n / 32, c, Mma::placeOfC, batch.c().get(i));
        }
        try (Run run = new Run("mma.ptx", kernel())) {
            long out = run.buffer(4L * blocks * wordsC);
            run.launch(
                    "k",
                    Extent.of(blocks),
                    Extent.of(32),
                    LaunchOptions.plain().engine(engine),
                    run.buffer(dataA),
                    run.buffer(dataB),
                    run.buffer(dataC),
                    out);
            int[] got = run.ints(out, blocks * wordsC);
            List<long[][]> results = new ArrayList<>();
            for (int i = 0; i < blocks; i++) {
                results.add(unpack(got, i * wordsC));
            }
            return results;
        }
    }

    private long[][] unpack(int[] words, int from) {
        long[][] codes = new long[m][n];
        int bits = bits(d);
        int e = perRegister(d);
        for (int i = 0; i < m * n / 32; i++) {
            for (int lane = 0; lane < 32; lane++) {
                int[] at = placeOfC(lane, i);
                codes[at[0]][at[1]] = bits == 64
                        ? (words[from + 2 * (32 * i + lane)] & 0xffffffffL)
                                | (long) words[from + 2 * (32 * i + lane) + 1] << 32
                        : words[from + 32 * (i / e) + lane] >>> (bits * (i % e)) & (-1L >>> (64 - bits));
            }
        }
        return codes;
    }

    String kernel() {
        StringBuilder body = new StringBuilder("mov.u32 %r0, %laneid;\nmov.u32 %r1, %ctaid.x;\n");
        String operandA = load(body, "a", 0, a, m, k);
        String operandB = load(body, "b", 1, b, k, n);
        String operandC = load(body, "c", 2, c, m, n);
        String operandD = names("d", registers(d, m, n));
        body.append(text + " " + operandD + ", " + operandA + ", " + operandB + ", " + operandC + ";\n");
        address(body, 3, d, m, n);
        for (int r = 0; r < registers(d, m, n); r++) {
            body.append("st.global." + type(d) + " [%rd9+" + r * 32 * Math.max(32, bits(d)) / 8 + "], %d" + r + "x;\n");
        }
        StringBuilder declared = new StringBuilder();
        for (String name : List.of("a", "b", "c", "d")) {
            String type = switch (name) {
                case "a" -> a;
                case "b" -> b;
                case "c" -> c;
                default -> d;
            };
            for (int r = 0; r < 8; r++) {
                declared.append(".reg ." + type(type) + " %" + name + r + "x;\n");
            }
        }
        return Texts.kernel(4, declared + body.toString());
    }

    private static String type(String element) {
        return element.equals("f64") || element.equals("f32") ? element : "b32";
    }

    private static String names(String name, int count) {
        StringBuilder names = new StringBuilder("{");
        for (int r = 0; r < count; r++) {
            names.append(r == 0 ? "" : ", ").append("%" + name + r + "x");
        }
        return names.append("}").toString();
    }

    private void address(StringBuilder body, int pointer, String type, int rows, int columns) {
        body.append("mul.wide.u32 %rd8, %r1, " + 4 * words(type, rows, columns) + ";\nadd.s64 %rd9, %rd" + pointer
                + ", %rd8;\nmul.wide.u32 %rd8, %r0, " + Math.max(32, bits(type)) / 8
                + ";\nadd.s64 %rd9, %rd9, %rd8;\n");
    }

    private String load(StringBuilder body, String name, int pointer, String type, int rows, int columns) {
        address(body, pointer, type, rows, columns);
        int count = registers(type, rows, columns);
        for (int r = 0; r < count; r++) {
            body.append("ld.global." + type(type) + " %" + name + r + "x, [%rd9+"
                    + r * 32 * Math.max(32, bits(type)) / 8 + "];\n");
        }
        return names(name, count);
    }

    /** Whether the type is of whole numbers. */
    static boolean whole(String type) {
        return type.matches("[su]\\d+");
    }

    /** The number that a code stands for. */
    static double value(String type, long code) {
        int bits = bits(type);
        return switch (type.charAt(0)) {
            case 's' -> code << (64 - bits) >> (64 - bits);
            case 'u' -> code & (-1L >>> (64 - bits));
            default -> Format.named(type).real(code);
        };
    }

    /** The code of a small whole number. */
    static long code(String type, int value) {
        return switch (type) {
            case "f32" -> Float.floatToRawIntBits(value) & 0xffffffffL;
            case "f64" -> Double.doubleToRawLongBits(value);
            case "s4", "u4", "s8", "u8", "s32" -> value & (-1L >>> (64 - bits(type)));
            default -> {
                Format format = Format.named(type);
                for (long code = 0; code < 1L << Math.min(16, bits(type)); code++) {
                    long at = bits(type) == 32 ? code << 16 : code;
                    if (format.real(at) == value) {
                        yield at;
                    }
                }
                throw new IllegalArgumentException(type + " has no " + value);
            }
        };
    }

    /** A random code of a number of everyday size. */
    static long random(String type, Random random) {
        if (whole(type)) {
            return type.equals("s32")
                    ? random.nextInt() & 0xffffffffL
                    : random.nextLong() & (-1L >>> (64 - bits(type)));
        }
        if (type.equals("f64")) {
            return Double.doubleToRawLongBits(random.nextDouble() - 0.5);
        }
        int single = Float.floatToRawIntBits((random.nextFloat() - 0.5f) * 4);
        return switch (type) {
            case "f32" -> single & 0xffffffffL;
            case "tf32" -> single & 0xffffe000L;
            case "bf16" -> single >>> 16;
            case "f16" -> Float.floatToFloat16(Float.intBitsToFloat(single)) & 0xffffL;
            case "e4m3" -> random.nextLong() & 0xbf;
            default -> (random.nextLong() & 0x8f) | 0x30;
        };
    }
}
