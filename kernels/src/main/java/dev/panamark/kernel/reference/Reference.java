package dev.panamark.kernel.reference;

import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import java.util.List;

/** The truth about one family of kernels, computed in double precision on the host. */
public interface Reference {

    /** The name in kernel files. */
    String name();

    /**
     * Refuses a kernel that lacks what this reference needs (a buffer, an axis, a convention), before anything runs.
     *
     * @return what is wrong, in the words of the kernel file; empty when all is there
     */
    List<String> faults(Instance instance);

    /**
     * What the outputs should hold, at every element or at sampled ones.
     *
     * @param seed chooses the random part of the sample
     * @return one expectation for every output
     */
    List<Expectation> expect(Instance instance, Inputs inputs, long seed);
}
