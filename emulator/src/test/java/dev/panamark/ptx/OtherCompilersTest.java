package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Texts as clang and Triton write them: what they compute, against plain loops over the same inputs. */
class OtherCompilersTest {
    private static final int COUNT = 512;

    static Stream<Arguments> cuda() {
        return Stream.of("clang-cuda.ptx", "clang-debug.ptx")
                .flatMap(file -> Arrays.stream(LaunchOptions.Engine.values()).map(e -> Arguments.of(file, e)));
    }

    private static LaunchOptions with(LaunchOptions.Engine engine) {
        return LaunchOptions.plain().engine(engine);
    }

    private static float[] floats(int count, long seed) {
        Random random = new Random(seed);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat(-4, 4);
        }
        return values;
    }

    private static int[] words(int count, long seed) {
        return new Random(seed).ints(count).toArray();
    }

    /** Each step errs by less than 2^-22 of its result; a row has 40 of them at most. */
    @ParameterizedTest
    @MethodSource("cuda")
    void softmax(String file, LaunchOptions.Engine engine) {
        float[] in = floats(COUNT, 1);
        try (Run run = new Run(file, Texts.resource(file))) {
            long out = run.buffer(4L * COUNT);
            run.launch("softmax", Extent.of(COUNT / 128), Extent.of(128), with(engine), run.buffer(in), out);
            float[] got = run.floats(out, COUNT);
            for (int i = 0; i < COUNT; i++) {
                double sum = 0;
                for (int k = i & ~31; k < (i & ~31) + 32; k++) {
                    sum += Math.exp(in[k]);
                }
                double expected = Math.exp(in[i]) / sum;
                assertEquals(expected, got[i], 40 * 0x1p-22 * expected, "element " + i);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("cuda")
    void transpose(String file, LaunchOptions.Engine engine) {
        int width = 48;
        int[] in = words(width * width, 2);
        try (Run run = new Run(file, Texts.resource(file))) {
            long source = run.buffer(in);
            long out = run.buffer(4L * in.length);
            byte[] parameters = Parameters.of(run.module.kernel("transpose"))
                    .add(source)
                    .add(out)
                    .add(width)
                    .bytes();
            run.linked.launch("transpose", new Extent(3, 3, 1), new Extent(16, 16, 1), 0, parameters, with(engine));
            int[] expected = new int[in.length];
            for (int i = 0; i < in.length; i++) {
                expected[i % width * width + i / width] = in[i];
            }
            assertArrayEquals(expected, run.ints(out, in.length));
        }
    }

    @ParameterizedTest
    @MethodSource("cuda")
    void choose(String file, LaunchOptions.Engine engine) {
        int[] in = words(COUNT, 3);
        try (Run run = new Run(file, Texts.resource(file))) {
            long out = run.buffer(4L * COUNT);
            run.launch("choose", Extent.of(COUNT / 64), Extent.of(64), with(engine), run.buffer(in), out);
            int[] expected = new int[COUNT];
            for (int i = 0; i < COUNT; i++) {
                int x = in[i];
                expected[i] = switch (i % 9) {
                    case 0 -> x + 7;
                    case 1 -> x * x;
                    case 2 -> x >> 3;
                    case 3 -> ~x;
                    case 4 -> x / 5;
                    case 5 -> Integer.remainderUnsigned(x, 11);
                    case 6 -> Integer.bitCount(x);
                    case 7 -> Math.abs(x);
                    default -> Integer.rotateLeft(x, 9);
                };
            }
            assertArrayEquals(expected, run.ints(out, COUNT));
        }
    }

    /** Small whole numbers throughout, so that sums are exact. */
    @ParameterizedTest
    @MethodSource("cuda")
    void histogram(String file, LaunchOptions.Engine engine) {
        int threads = 64;
        int[] in = words(16 * threads, 4);
        try (Run run = new Run(file, Texts.resource(file))) {
            long source = run.buffer(in);
            long out = run.buffer(8L * threads);
            long counts = run.buffer(32);
            byte[] scale = new byte[16];
            ByteBuffer.wrap(scale)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putFloat(0.5f)
                    .putInt(5)
                    .putDouble(30);
            byte[] parameters = Parameters.of(run.module.kernel("histogram"))
                    .add(source)
                    .add(out)
                    .add(counts)
                    .add(scale)
                    .bytes();
            run.linked.launch("histogram", Extent.of(2), Extent.of(threads / 2), 0, parameters, with(engine));
            int[] expected = new int[8];
            double[] sums = new double[threads];
            for (int i = 0; i < in.length; i++) {
                expected[in[i] & 7]++;
                sums[i / 16] += in[i] & 7;
            }
            for (int i = 0; i < threads; i++) {
                sums[i] = Math.min(sums[i] * 0.5, 30) + 32;
            }
            assertArrayEquals(expected, run.ints(counts, 8));
            assertArrayEquals(sums, run.memory.at(out, 8L * threads).toArray(ValueLayout.JAVA_DOUBLE_UNALIGNED));
        }
    }

    /** Products of halves are exact in f32, so that one conversion rounds them as f16 multiplication does. */
    @ParameterizedTest
    @MethodSource("cuda")
    void halves(String file, LaunchOptions.Engine engine) {
        short[] a = new short[COUNT];
        short[] b = new short[COUNT];
        float[] values = floats(2 * COUNT, 5);
        for (int i = 0; i < COUNT; i++) {
            a[i] = Float.floatToFloat16(values[i]);
            b[i] = Float.floatToFloat16(values[COUNT + i]);
        }
        try (Run run = new Run(file, Texts.resource(file))) {
            long x = run.buffer(2L * COUNT);
            long y = run.buffer(2L * COUNT);
            run.memory.at(x, 2L * COUNT).copyFrom(MemorySegment.ofArray(a));
            run.memory.at(y, 2L * COUNT).copyFrom(MemorySegment.ofArray(b));
            long out = run.buffer((long) COUNT);
            long products = run.buffer(2L * COUNT);
            run.launch("halves", Extent.of(2), Extent.of(COUNT / 8), with(engine), x, y, out, products);
            short[] expected = new short[COUNT];
            float[] sums = new float[COUNT / 4];
            for (int i = 0; i < COUNT; i++) {
                expected[i] = Float.floatToFloat16(Float.float16ToFloat(a[i]) * Float.float16ToFloat(b[i]));
                sums[i / 4] += Float.float16ToFloat(expected[i]);
            }
            assertArrayEquals(expected, run.memory.at(products, 2L * COUNT).toArray(ValueLayout.JAVA_SHORT_UNALIGNED));
            assertArrayEquals(sums, run.floats(out, COUNT / 4));
        }
    }

    /** Weights and inputs are multiples of 1/8 and 1/4, so that sums are exact in whichever order. */
    @ParameterizedTest
    @EnumSource(LaunchOptions.Engine.class)
    void openCl(LaunchOptions.Engine engine) {
        int[] words = words(COUNT + 4, 6);
        float[] in = new float[words.length];
        for (int i = 0; i < in.length; i++) {
            in[i] = (words[i] & 1023) * 0.25f;
        }
        int[] numbers = words(2 * COUNT, 7);
        try (Run run = new Run("clang-opencl.ptx", Texts.resource("clang-opencl.ptx"))) {
            long out = run.buffer(4L * COUNT);
            run.launch("blur", Extent.of(4), Extent.of(COUNT / 16), with(engine), run.buffer(in), out);
            float[] blurred = new float[COUNT];
            for (int i = 0; i < COUNT; i++) {
                blurred[i] = 0.125f * (in[i] + in[i + 3]) + 0.375f * (in[i + 1] + in[i + 2]);
            }
            assertArrayEquals(blurred, run.floats(out, COUNT));

            long source = run.buffer(numbers);
            long sums = run.buffer(8L * COUNT);
            // Memory of a kernel's own choice is an address of shared memory.
            byte[] parameters = Parameters.of(run.module.kernel("scan"))
                    .add(source)
                    .add(sums)
                    .add(
                            new byte
                                    [run.module
                                            .kernel("scan")
                                            .parameters()
                                            .getLast()
                                            .bytes()])
                    .bytes();
            run.linked.launch("scan", Extent.of(4), Extent.of(COUNT / 4), 2 * COUNT, parameters, with(engine));
            long[] expected = run.memory.at(source, 8L * COUNT).toArray(ValueLayout.JAVA_LONG_UNALIGNED);
            for (int i = 0; i < COUNT; i++) {
                expected[i] += i % (COUNT / 4) == 0 ? 0 : expected[i - 1];
            }
            assertArrayEquals(expected, run.memory.at(sums, 8L * COUNT).toArray(ValueLayout.JAVA_LONG_UNALIGNED));

            long four = run.buffer(4L * COUNT);
            long totals = run.buffer(2L * COUNT);
            run.launch("bytes", Extent.of(4), Extent.of(COUNT / 4), with(engine), source, four, totals);
            byte[] bytes = run.memory.at(source, 4L * COUNT).toArray(ValueLayout.JAVA_BYTE);
            byte[] changed = new byte[4 * COUNT];
            short[] all = new short[COUNT];
            for (int i = 0; i < COUNT; i++) {
                int x = bytes[4 * i] & 255;
                int y = bytes[4 * i + 1] & 255;
                int z = bytes[4 * i + 2] & 255;
                int w = bytes[4 * i + 3] & 255;
                changed[4 * i] = (byte) (x - y);
                changed[4 * i + 1] = (byte) (y * 3);
                changed[4 * i + 2] = (byte) (z >> 1);
                changed[4 * i + 3] = (byte) -w;
                all[i] = (short) (x + y + z + w);
            }
            assertArrayEquals(changed, run.memory.at(four, 4L * COUNT).toArray(ValueLayout.JAVA_BYTE));
            assertArrayEquals(all, run.memory.at(totals, 2L * COUNT).toArray(ValueLayout.JAVA_SHORT_UNALIGNED));
        }
    }

    /** The last block ends within the data; what lies behind stays. */
    @ParameterizedTest
    @EnumSource(LaunchOptions.Engine.class)
    void tritonsMaskedVectors(LaunchOptions.Engine engine) {
        int count = 1000;
        float[] a = floats(1536, 8);
        float[] b = floats(1536, 9);
        try (Run run = new Run("triton-style.ptx", Texts.resource("triton-style.ptx"))) {
            long x = run.buffer(a);
            long y = run.buffer(b);
            long out = run.buffer(4L * a.length);
            byte[] parameters = Parameters.of(run.module.kernel("masked_add"))
                    .add(x)
                    .add(y)
                    .add(out)
                    .add(count)
                    .bytes();
            run.linked.launch("masked_add", Extent.of(3), Extent.of(128), 0, parameters, with(engine));
            float[] expected = new float[a.length];
            for (int i = 0; i < count; i++) {
                expected[i] = a[i] + b[i];
            }
            assertArrayEquals(expected, run.floats(out, a.length));
        }
    }

    /** Rows of whole numbers, whose sums are exact; quotients within 2 ulp are within one of f16. */
    @ParameterizedTest
    @EnumSource(LaunchOptions.Engine.class)
    void tritonsReductions(LaunchOptions.Engine engine) {
        int width = 600;
        int rows = 3;
        float[] in = new float[rows * width];
        Random random = new Random(10);
        for (int i = 0; i < in.length; i++) {
            in[i] = random.nextInt(1, 1000);
        }
        try (Run run = new Run("triton-style.ptx", Texts.resource("triton-style.ptx"))) {
            long source = run.buffer(in);
            long sums = run.buffer(4L * rows);
            long shares = run.buffer(1024L * rows);
            byte[] parameters = Parameters.of(run.module.kernel("row_sums"))
                    .add(source)
                    .add(sums)
                    .add(shares)
                    .add(width)
                    .bytes();
            run.linked.launch("row_sums", Extent.of(rows), Extent.of(128), 1024, parameters, with(engine));
            short[] got = run.memory.at(shares, 1024L * rows).toArray(ValueLayout.JAVA_SHORT_UNALIGNED);
            for (int row = 0; row < rows; row++) {
                float sum = 0;
                for (int i = 0; i < width; i++) {
                    sum += in[row * width + i];
                }
                assertEquals(sum, run.floats(sums, rows)[row]);
                for (int i = 0; i < 512; i++) {
                    float share = in[row * width + i] / sum;
                    assertEquals(
                            share,
                            Float.float16ToFloat(got[512 * row + i]),
                            Math.max(share * 0x1p-10f, 0x1p-24f),
                            "row " + row + ", element " + i);
                }
            }
        }
    }

    /** A load behind the end of its buffer is at the line of the program that it was inlined from. */
    @ParameterizedTest
    @EnumSource(LaunchOptions.Engine.class)
    void faultsNameTheLineOfTheProgram(LaunchOptions.Engine engine) {
        try (Run run = new Run("triton-style.ptx", Texts.resource("triton-style.ptx"))) {
            long one = run.buffer(16);
            byte[] parameters = Parameters.of(run.module.kernel("masked_add"))
                    .add(one)
                    .add(one)
                    .add(one)
                    .add(512)
                    .bytes();
            KernelFault fault = assertThrows(
                    KernelFault.class,
                    () -> run.linked.launch("masked_add", Extent.of(1), Extent.of(128), 0, parameters, with(engine)));
            assertEquals(KernelFault.Kind.OUT_OF_BOUNDS, fault.kind());
            assertEquals(
                    "sample.py:12", fault.place() == null ? null : fault.place().source());
        }
    }
}
