package dev.panamark.driver.codeobject;

import java.util.List;
import java.util.OptionalInt;

/**
 * What the metadata note tells of a kernel. Registers are of a work-item, counted as 32 bits each.
 *
 * @param name as it is launched
 * @param symbol of its descriptor, {@code saxpy.kd}
 * @param vgprs vector registers; from gfx90a on with the accumulation registers among them
 * @param agprs accumulation registers; empty where the processor has none or the compiler did not say
 * @param sgprs scalar registers, of a wave
 * @param vgprSpills vector registers that were put into scratch memory; empty where the compiler did not say
 * @param sgprSpills scalar registers that were put elsewhere; empty where the compiler did not say
 * @param ldsBytes LDS that it declares itself; what a launch adds is not among them
 * @param scratchBytes scratch memory of a work-item
 * @param kernargBytes of all arguments, hidden ones too
 * @param maxWorkItems of a block
 * @param wavefront work-items of a wave
 * @param arguments in the order of the note
 */
public record KernelMetadata(
        String name,
        String symbol,
        int vgprs,
        OptionalInt agprs,
        int sgprs,
        OptionalInt vgprSpills,
        OptionalInt sgprSpills,
        int ldsBytes,
        int scratchBytes,
        int kernargBytes,
        int maxWorkItems,
        int wavefront,
        List<KernelArgument> arguments) {
    /** Copies the arguments. */
    public KernelMetadata {
        arguments = List.copyOf(arguments);
    }

    /** The arguments that a launch gives. */
    public List<KernelArgument> givenArguments() {
        return arguments.stream().filter(a -> !a.isHidden()).toList();
    }
}
