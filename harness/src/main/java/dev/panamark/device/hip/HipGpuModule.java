package dev.panamark.device.hip;

import dev.panamark.device.Bound;
import dev.panamark.device.Counted;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.Entry;
import dev.panamark.device.MissingEntryException;
import dev.panamark.device.Module;
import dev.panamark.device.gpu.GpuArguments;
import dev.panamark.device.gpu.GpuMemory;
import dev.panamark.driver.codeobject.KernelArgument;
import dev.panamark.driver.codeobject.KernelMetadata;
import dev.panamark.driver.hip.FunctionAttribute;
import dev.panamark.driver.hip.HipException;
import dev.panamark.driver.hip.HipKernel;
import dev.panamark.driver.hip.HipModule;
import dev.panamark.ffi.Availability;
import dev.panamark.image.Code;
import dev.panamark.kernel.Argument;
import dev.panamark.kernel.Step;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/** A code object that the runtime has taken. */
final class HipGpuModule implements Module {
    private final HipGpu gpu;
    private final HipModule module;
    private final Code code;
    private final CodeNotes notes;
    /** What the runtime and the notes say of the kernels that were asked for. */
    private final SequencedMap<String, Object> kernels = new LinkedHashMap<>();
    /** What arguments point to, as long as the module is loaded. */
    private final List<GpuMemory> pointedTo = new ArrayList<>();

    HipGpuModule(HipGpu gpu, HipModule module, Code code) {
        this.gpu = gpu;
        this.module = module;
        this.code = code;
        this.notes = CodeNotes.of(code);
    }

    @Override
    public Entry entry(String name) {
        HipKernel kernel = gpu.refusals().attempt(() -> {
            try {
                return module.kernel(name);
            } catch (HipException e) {
                if (e.isNotFound()) {
                    throw new MissingEntryException(
                            code.name() + " has no kernel '" + name + "'"
                                    + (entries().isEmpty() ? "" : "; it has " + String.join(", ", entries())),
                            e);
                }
                throw e;
            }
        });
        Optional<KernelMetadata> metadata = notes.kernel(name);
        SequencedMap<String, Object> figures = gpu.refusals().attempt(() -> figures(kernel));
        metadata.ifPresent(m -> figures.putAll(CodeNotes.figures(m)));
        kernels.put(name, figures);
        return new OfKernel(kernel, metadata);
    }

    private static SequencedMap<String, Object> figures(HipKernel kernel) {
        SequencedMap<String, Object> figures = new LinkedHashMap<>();
        figures.put("registers", kernel.attribute(FunctionAttribute.NUM_REGS));
        figures.put("shared_bytes", kernel.attribute(FunctionAttribute.SHARED_SIZE_BYTES));
        figures.put("local_bytes", kernel.attribute(FunctionAttribute.LOCAL_SIZE_BYTES));
        figures.put("max_threads", kernel.attribute(FunctionAttribute.MAX_THREADS_PER_BLOCK));
        return figures;
    }

    private final class OfKernel implements Entry {
        private final HipKernel kernel;
        private final Optional<KernelMetadata> metadata;

        OfKernel(HipKernel kernel, Optional<KernelMetadata> metadata) {
            this.kernel = kernel;
            this.metadata = metadata;
        }

        @Override
        public Bound bind(List<Argument> args, Map<String, DeviceBuffer> buffers) {
            return new HipBound(gpu, kernel, arguments(args, buffers), false);
        }

        @Override
        public Runnable bind(Step.Launch launch, Map<String, DeviceBuffer> buffers) {
            HipBound bound = new HipBound(gpu, kernel, arguments(launch.args(), buffers), launch.cooperative());
            bound.prepare(launch.grid(), launch.block(), launch.shared());
            return bound::again;
        }

        private GpuArguments arguments(List<Argument> args, Map<String, DeviceBuffer> buffers) {
            GpuArguments arguments = new GpuArguments(gpu, args, buffers, pointedTo);
            metadata.ifPresent(m -> arguments.requireSizes(
                    kernel.name(),
                    m.givenArguments().stream()
                            .map(KernelArgument::size)
                            .map(Integer::longValue)
                            .toList()));
            return arguments;
        }

        @Override
        public Optional<Availability<Counted.Occupancy>> occupancy(Step.Launch launch) {
            return Optional.of(gpu.refusals().attempt(() -> HipOccupancy.of(gpu, kernel, launch)));
        }
    }

    @Override
    public List<String> entries() {
        return notes.kernels();
    }

    @Override
    public SequencedMap<String, Object> facts() {
        SequencedMap<String, Object> all = new LinkedHashMap<>(code.facts());
        all.putAll(notes.facts());
        all.put("image_sha256", code.sha256());
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
