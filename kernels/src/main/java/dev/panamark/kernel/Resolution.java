package dev.panamark.kernel;

/** What became of a kernel for one problem on one device. */
public sealed interface Resolution {

    /**
     * It can be measured.
     *
     * @param instance with every value put in
     */
    record Ready(Instance instance) implements Resolution {}

    /**
     * The kernel file says that this problem is not for this kernel.
     *
     * @param reason the {@code where} clause that is false, with its values
     */
    record Excluded(String reason) implements Resolution {}

    /**
     * This device cannot run it.
     *
     * @param reason what it lacks
     */
    record Unsupported(String reason) implements Resolution {}
}
