/**
 * NVIDIA's library for hardware counters (CUPTI): its host side, which knows every chip's metrics and needs no GPU, and its
 * range profiler, which counts them while kernels run. A status other than success becomes a
 * {@link dev.panamark.driver.cupti.CuptiException}; a function that the library does not have, a
 * {@link dev.panamark.driver.cupti.MissingCuptiFunctionException}.
 *
 * <p>Calls on the device's side crash the process where there is no CUDA driver, so they are made only through a
 * {@link dev.panamark.driver.cuda.CudaContext}. While the profiler is enabled, kernels are slower and clocks differ: nothing
 * may be timed then. A {@link dev.panamark.driver.cupti.CuptiHost} and a {@link dev.panamark.driver.cupti.RangeProfiler}
 * belong to one thread at a time.
 */
@NullMarked
package dev.panamark.driver.cupti;

import org.jspecify.annotations.NullMarked;
