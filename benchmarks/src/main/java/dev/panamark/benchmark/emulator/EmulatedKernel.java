package dev.panamark.benchmark.emulator;

import dev.panamark.ptx.DeviceMemory;
import dev.panamark.ptx.Extent;
import dev.panamark.ptx.LaunchOptions;
import dev.panamark.ptx.LinkedModule;
import dev.panamark.ptx.Parameters;
import dev.panamark.ptx.PtxModule;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/** A launch of one of the kernels. */
final class EmulatedKernel implements Side {
    private final String name;
    private final DeviceMemory memory;
    private final LinkedModule module;
    private final String kernel;
    private final Extent grid;
    private final Extent block;
    private final byte[] parameters;
    private final long output;
    private final int outputs;
    private final LaunchOptions options;

    private EmulatedKernel(
            String name,
            DeviceMemory memory,
            LinkedModule module,
            String kernel,
            Extent grid,
            Extent block,
            byte[] parameters,
            long output,
            int outputs,
            LaunchOptions options) {
        this.name = name;
        this.memory = memory;
        this.module = module;
        this.kernel = kernel;
        this.grid = grid;
        this.block = block;
        this.parameters = parameters;
        this.output = output;
        this.outputs = outputs;
        this.options = options;
    }

    /** A resource beside this class as text. */
    static String text(String resource) {
        try (InputStream in = EmulatedKernel.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("the resource " + resource + " is not on the class path; build again");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The kernels, read anew. */
    static PtxModule load() {
        return PtxModule.load("kernels.ptx", text("kernels.ptx"));
    }

    static EmulatedKernel matmul(PtxModule module, DeviceMemory memory, float[] a, float[] b, int n) {
        long c = memory.allocate(4L * n * n);
        byte[] parameters = Parameters.of(module.kernel("matmul"))
                .add(upload(memory, a))
                .add(upload(memory, b))
                .add(c)
                .add(n)
                .bytes();
        return new EmulatedKernel(
                "emulator",
                memory,
                module.link(memory),
                "matmul",
                Extent.of(n / 16, n / 16),
                Extent.of(16, 16),
                parameters,
                c,
                n * n,
                LaunchOptions.plain());
    }

    /** The product by tensor cores of what {@code a} and {@code b} are as halves. */
    static EmulatedKernel tensors(DeviceMemory memory, float[] a, float[] b, int n) {
        PtxModule module = PtxModule.load("tensor.ptx", text("tensor.ptx"));
        long c = memory.allocate(4L * n * n);
        byte[] parameters = Parameters.of(module.kernel("tensor_matmul"))
                .add(halves(memory, a))
                .add(halves(memory, b))
                .add(c)
                .add(n)
                .bytes();
        return new EmulatedKernel(
                "tensor cores",
                memory,
                module.link(memory),
                "tensor_matmul",
                Extent.of(n / 64, n / 64),
                Extent.of(128),
                parameters,
                c,
                n * n,
                LaunchOptions.plain());
    }

    private static long halves(DeviceMemory memory, float[] values) {
        short[] halves = new short[values.length];
        for (int i = 0; i < halves.length; i++) {
            halves[i] = Float.floatToFloat16(values[i]);
        }
        long at = memory.allocate(2L * halves.length);
        MemorySegment.copy(
                halves, 0, memory.at(at, 2L * halves.length), ValueLayout.JAVA_SHORT_UNALIGNED, 0, halves.length);
        return at;
    }

    static EmulatedKernel attention(
            PtxModule module,
            DeviceMemory memory,
            float[] q,
            float[] k,
            float[] v,
            int heads,
            int length,
            int width,
            float scale) {
        long out = memory.allocate(4L * q.length);
        byte[] parameters = Parameters.of(module.kernel("attention"))
                .add(upload(memory, q))
                .add(upload(memory, k))
                .add(upload(memory, v))
                .add(out)
                .add(length)
                .add(width)
                .add(scale)
                .bytes();
        return new EmulatedKernel(
                "emulator",
                memory,
                module.link(memory),
                "attention",
                Extent.of(length, heads),
                Extent.of(128),
                parameters,
                out,
                q.length,
                LaunchOptions.plain());
    }

    static EmulatedKernel gather(PtxModule module, DeviceMemory memory, int[] index, float[] table) {
        int n = index.length;
        long out = memory.allocate(4L * n);
        long indices = memory.allocate(4L * n);
        MemorySegment.copy(index, 0, memory.at(indices, 4L * n), ValueLayout.JAVA_INT_UNALIGNED, 0, n);
        byte[] parameters = Parameters.of(module.kernel("gather"))
                .add(indices)
                .add(upload(memory, table))
                .add(out)
                .add(n)
                .bytes();
        return new EmulatedKernel(
                "emulator",
                memory,
                module.link(memory),
                "gather",
                Extent.of((n + 255) / 256),
                Extent.of(256),
                parameters,
                out,
                n,
                LaunchOptions.plain());
    }

    private static long upload(DeviceMemory memory, float[] values) {
        long at = memory.allocate(4L * values.length);
        MemorySegment.copy(
                values, 0, memory.at(at, 4L * values.length), ValueLayout.JAVA_FLOAT_UNALIGNED, 0, values.length);
        return at;
    }

    /** The same launch done otherwise. */
    EmulatedKernel with(String otherName, LaunchOptions other) {
        return new EmulatedKernel(otherName, memory, module, kernel, grid, block, parameters, output, outputs, other);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void run() {
        module.launch(kernel, grid, block, 0, parameters, options);
    }

    @Override
    public float[] output() {
        return memory.at(output, 4L * outputs).toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
    }
}
