package dev.panamark.device.cuda;

import dev.panamark.device.Bound;
import dev.panamark.device.Counted;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.Entry;
import dev.panamark.device.MissingEntryException;
import dev.panamark.device.Module;
import dev.panamark.device.gpu.GpuArguments;
import dev.panamark.device.gpu.GpuMemory;
import dev.panamark.driver.cuda.CudaException;
import dev.panamark.driver.cuda.CudaFunction;
import dev.panamark.driver.cuda.CudaKernel;
import dev.panamark.driver.cuda.CudaModule;
import dev.panamark.driver.cuda.FunctionAttribute;
import dev.panamark.ffi.Availability;
import dev.panamark.image.Code;
import dev.panamark.kernel.Argument;
import dev.panamark.kernel.Step;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Stream;

/** An image that the driver has taken. */
final class GpuModule implements Module {
    private final CudaGpu gpu;
    private final CudaModule module;
    private final Code code;
    private final List<String> entries;
    private final Optional<PtxHead> ptx;
    /** What the driver says of the kernels that were asked for. */
    private final SequencedMap<String, Object> kernels = new LinkedHashMap<>();
    /** What arguments point to, as long as the module is loaded. */
    private final List<GpuMemory> pointedTo = new ArrayList<>();

    GpuModule(CudaGpu gpu, CudaModule module, Code code) {
        this.gpu = gpu;
        this.module = module;
        this.code = code;
        String text = new String(code.bytes(), StandardCharsets.ISO_8859_1);
        this.ptx = PtxHead.of(text);
        this.entries = ptx.isPresent() ? PtxHead.entries(text) : List.of();
    }

    @Override
    public Entry entry(String name) {
        CudaKernel kernel = gpu.refusals().attempt(() -> {
            try {
                return module.kernel(name);
            } catch (CudaException e) {
                if (e.isNotFound()) {
                    throw new MissingEntryException(
                            code.name() + " has no kernel '" + name + "'"
                                    + (entries.isEmpty() ? "" : "; it has " + String.join(", ", entries)),
                            e);
                }
                throw e;
            }
        });
        kernels.put(name, gpu.refusals().attempt(() -> figures(kernel)));
        return new OfKernel(kernel);
    }

    private static SequencedMap<String, Object> figures(CudaKernel kernel) {
        SequencedMap<String, Object> figures = new LinkedHashMap<>();
        figures.put("registers", kernel.attribute(FunctionAttribute.NUM_REGS));
        figures.put("shared_bytes", kernel.attribute(FunctionAttribute.SHARED_SIZE_BYTES));
        figures.put("local_bytes", kernel.attribute(FunctionAttribute.LOCAL_SIZE_BYTES));
        figures.put("max_threads", kernel.attribute(FunctionAttribute.MAX_THREADS_PER_BLOCK));
        figures.put("binary_version", kernel.attribute(FunctionAttribute.BINARY_VERSION));
        return figures;
    }

    private final class OfKernel implements Entry {
        private final CudaKernel kernel;

        OfKernel(CudaKernel kernel) {
            this.kernel = kernel;
        }

        @Override
        public Bound bind(List<Argument> args, Map<String, DeviceBuffer> buffers) {
            return new CudaBound(gpu, kernel, arguments(args, buffers), LaunchKind.PLAIN);
        }

        @Override
        public Runnable bind(Step.Launch launch, Map<String, DeviceBuffer> buffers) {
            CudaBound bound = new CudaBound(gpu, kernel, arguments(launch.args(), buffers), LaunchKind.of(launch));
            bound.prepare(launch.grid(), launch.block(), launch.shared());
            return bound::again;
        }

        private GpuArguments arguments(List<Argument> args, Map<String, DeviceBuffer> buffers) {
            GpuArguments arguments = new GpuArguments(gpu, args, buffers, pointedTo);
            sizes().ifPresent(sizes -> arguments.requireSizes(kernel.name(), sizes));
            return arguments;
        }

        /** Of the parameters, as far as the driver tells. */
        private Optional<List<Long>> sizes() {
            if (!(gpu.driver().has(CudaFunction.FUNC_GET_PARAM_INFO) instanceof Availability.Available<CudaFunction>)) {
                return Optional.empty();
            }
            return Optional.of(gpu.refusals()
                    .attempt(() -> Stream.iterate(0, i -> i + 1)
                            .map(kernel::parameter)
                            .takeWhile(Optional::isPresent)
                            .map(p -> p.orElseThrow().bytes())
                            .toList()));
        }

        @Override
        public Optional<Availability<Counted.Occupancy>> occupancy(Step.Launch launch) {
            return Optional.of(gpu.refusals().attempt(() -> DriverOccupancy.of(gpu, kernel, launch)));
        }
    }

    @Override
    public List<String> entries() {
        return entries;
    }

    @Override
    public SequencedMap<String, Object> facts() {
        SequencedMap<String, Object> all = new LinkedHashMap<>(code.facts());
        ptx.ifPresent(head -> {
            all.put("ptx_version", head.version());
            all.put("ptx_target", head.target());
        });
        all.put("image_sha256", code.sha256());
        if (!module.log().isEmpty()) {
            all.put("driver_compiler_log", module.log());
        }
        all.put("entries", new LinkedHashMap<>(kernels));
        return Collections.unmodifiableSequencedMap(all);
    }

    @Override
    public String imageHash() {
        return code.sha256();
    }

    @Override
    public void close() {
        pointedTo.forEach(gpu::release);
        pointedTo.clear();
        gpu.release(module);
    }
}
