package dev.panamark.ptx;

import dev.panamark.ptx.analyze.Analyzer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a launch must know of a kernel.
 *
 * @param parameterBytes of all parameters, gaps between them included
 * @param maxThreads most threads of a block: {@code .maxntid} or 1024
 * @param requiredThreads {@code .reqntid}; null where any shape will do
 * @param minBlocks of {@code .minnctapersm}; 0 where it is not given
 * @param sharedBytes static shared memory of a block
 * @param localBytes local memory of a thread, parameters of inlined functions included
 * @param registerEstimate registers of a thread, 32 bits each: what its values take that matter at the same time, the
 *     instructions in the order of the text, but no more than launch bounds leave a thread of the 65,536 of an SM. What
 *     {@code ptxas} makes of a text differs: it was 0.4 to 1.7 times as many in the kernels that come with Panamark
 */
public record KernelInfo(
        String name,
        List<Parameter> parameters,
        int parameterBytes,
        int maxThreads,
        @Nullable Extent requiredThreads,
        int minBlocks,
        int sharedBytes,
        int localBytes,
        int registerEstimate) {
    private static final int MOST_THREADS = 1024;
    private static final int MOST_REGISTERS = 255;
    private static final int REGISTERS_OF_AN_SM = 65_536;
    private static final int WARP = 32;
    /** Registers are given to a warp's threads by eight. */
    private static final int GRANULE = 8;

    /**
     * A parameter.
     *
     * @param type of PTX without the dot; {@code b8} for a structure or array
     * @param offset in the parameters
     */
    public record Parameter(String name, String type, int offset, int bytes, int alignment) {}

    static KernelInfo of(Analyzer.Kernel kernel) {
        Map<String, List<Long>> limits = kernel.limits();
        List<Long> most = limits.getOrDefault("maxntid", List.of());
        List<Long> required = limits.getOrDefault("reqntid", List.of());
        List<Long> blocks = limits.getOrDefault("minnctapersm", List.of());
        Extent shape = required.isEmpty() ? null : new Extent(at(required, 0), at(required, 1), at(required, 2));
        long threads = most.isEmpty() ? MOST_THREADS : (long) at(most, 0) * at(most, 1) * at(most, 2);
        return new KernelInfo(
                kernel.code().name(),
                kernel.parameters().all().stream()
                        .map(p -> new Parameter(p.name(), p.type(), p.offset(), p.bytes(), p.alignment()))
                        .toList(),
                kernel.parameters().bytes(),
                (int) Math.max(1, Math.min(MOST_THREADS, threads)),
                shape,
                blocks.isEmpty() ? 0 : at(blocks, 0),
                kernel.code().sharedBytes(),
                kernel.code().localBytes(),
                (int) Math.max(1, Math.min(kernel.registerPressure(), mostRegisters(most, required, blocks))));
    }

    /** What launch bounds leave; they do not say where neither {@code .maxntid} nor {@code .reqntid} is there. */
    private static long mostRegisters(List<Long> most, List<Long> required, List<Long> blocks) {
        List<Long> shape = most.isEmpty() ? required : most;
        if (shape.isEmpty()) {
            return MOST_REGISTERS;
        }
        long warps = ((long) at(shape, 0) * at(shape, 1) * at(shape, 2) + WARP - 1) / WARP;
        long resident = Math.max(1, warps) * WARP * (blocks.isEmpty() ? 1 : Math.max(1, at(blocks, 0)));
        return Math.min(MOST_REGISTERS, REGISTERS_OF_AN_SM / resident / GRANULE * GRANULE);
    }

    private static int at(List<Long> values, int i) {
        return i < values.size() ? (int) Math.max(0, Math.min(Integer.MAX_VALUE, values.get(i))) : 1;
    }
}
