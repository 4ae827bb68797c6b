package dev.panamark.ptx;

import dev.panamark.ptx.analyze.Analyzer;
import dev.panamark.ptx.ir.HostVariable;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A PTX text that was read, understood and found to be runnable. Immutable; threads may share it.
 *
 * <pre>{@code
 * PtxModule module = PtxModule.load("saxpy.ptx", text);
 * try (DeviceMemory memory = DeviceMemory.create(1 << 30, folder)) {
 *     LinkedModule linked = module.link(memory);
 *     long x = memory.allocate(4 * n);
 *     memory.at(x, 4 * n).copyFrom(host);
 *     byte[] parameters = Parameters.of(module.kernel("saxpy")).add(x).add(n).bytes();
 *     linked.launch("saxpy", Extent.of(n / 256), Extent.of(256), 0, parameters, LaunchOptions.plain());
 * }
 * }</pre>
 */
public final class PtxModule {
    private final String source;
    private final Analyzer.Analysis analysis;
    private final Map<String, KernelInfo> kernels = new LinkedHashMap<>();
    private final Map<String, Engines> engines = new HashMap<>();

    private PtxModule(String source, Analyzer.Analysis analysis) {
        this.source = source;
        this.analysis = analysis;
        for (Analyzer.Kernel kernel : analysis.kernels()) {
            KernelInfo info = KernelInfo.of(kernel);
            kernels.put(info.name(), info);
            engines.put(info.name(), new Engines(kernel.code()));
        }
    }

    /**
     * Reads a text of nvcc, clang or Triton: PTX 6.0 to 9.0 for targets from sm_70 on.
     *
     * @param source what messages call the text, such as its file's name
     * @throws PtxException with line and column of the first thing that is not PTX or is not supported
     */
    public static PtxModule load(String source, String text) {
        return new PtxModule(source, Analyzer.analyze(source, text));
    }

    /** What the text is called. */
    public String source() {
        return source;
    }

    /** Of {@code .version}, such as {@code 9.0}. */
    public String version() {
        return analysis.version();
    }

    /** Of {@code .target}, such as {@code sm_80}. */
    public String target() {
        return analysis.target();
    }

    /** In the order of the text. */
    public List<KernelInfo> kernels() {
        return List.copyOf(kernels.values());
    }

    /**
     * The kernel of that name.
     *
     * @throws IllegalArgumentException where there is none; the message names those that there are
     */
    public KernelInfo kernel(String name) {
        KernelInfo info = kernels.get(name);
        if (info == null) {
            throw new IllegalArgumentException(
                    source + " has no kernel " + name + "; it has " + String.join(", ", kernels.keySet()));
        }
        return info;
    }

    /**
     * Gives the module's variables their places in a memory and their first values.
     *
     * @throws OutOfDeviceMemory where they do not fit
     */
    public LinkedModule link(DeviceMemory memory) {
        return LinkedModule.link(this, memory);
    }

    List<HostVariable> variables() {
        return analysis.variables();
    }

    Engines engines(String kernel) {
        Engines found = engines.get(kernel);
        if (found == null) {
            throw new IllegalArgumentException(source + " has no kernel " + kernel);
        }
        return found;
    }
}
