package dev.panamark.kernel;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/**
 * A kernel for one problem on one device: every expression that does not depend on a buffer's contents has its value.
 *
 * @param kernel full name, {@code family.subfamily.variant}
 * @param problem the axes' values
 * @param values axes and lets, for references and messages
 * @param image the code
 * @param buffers in the order of the kernel file
 * @param steps in order
 * @param check what outputs are compared with
 * @param work the formula for the work, which may look at inputs (lengths, tables)
 * @param ceiling {@code flops} or {@code bytes} where this kernel measures a ceiling of the device
 */
public record Instance(
        String kernel,
        Problem problem,
        java.util.SequencedMap<String, Value> values,
        Image image,
        List<Buffer> buffers,
        List<Step> steps,
        Check check,
        WorkFormula work,
        Optional<String> ceiling) {

    /** Computes the work of one pass over the steps for given inputs. */
    @FunctionalInterface
    public interface WorkFormula {
        /** The work for these inputs. */
        Work of(Inputs inputs);
    }

    /** Copies the lists. */
    public Instance {
        buffers = List.copyOf(buffers);
        steps = List.copyOf(steps);
    }

    /** A launch without axes, work and check: for running it, not for measuring it. */
    public static Instance ofLaunch(String name, Image image, List<Buffer> buffers, Step.Launch launch) {
        return new Instance(
                name,
                new Problem(new LinkedHashMap<>()),
                new LinkedHashMap<>(),
                image,
                buffers,
                List.of(launch),
                new Check(Optional.empty(), Optional.empty(), new LinkedHashMap<>(), new LinkedHashMap<>()),
                inputs -> new Work(new LinkedHashMap<>(), 0, 0, Optional.empty()),
                Optional.empty());
    }

    /**
     * Whether some blocks of its launch say something without the others: it has one step, a launch whose blocks are not
     * there to wait for each other.
     */
    public boolean canBeSampled() {
        return steps.size() == 1 && steps.getFirst() instanceof Step.Launch launch && !launch.cooperative();
    }

    /** The buffer of this name. */
    public Buffer buffer(String name) {
        return buffers.stream()
                .filter(b -> b.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(kernel + " has no buffer '" + name + "'"));
    }

    /** Bytes of all buffers together. */
    public long bytes() {
        return buffers.stream().mapToLong(Buffer::bytes).reduce(0, Math::addExact);
    }
}
