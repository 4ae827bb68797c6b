/**
 * NVIDIA's management library (NVML): one method for each C call that is used. A status other than success becomes a
 * {@link dev.panamark.driver.nvml.NvmlException}; a function that the library does not have, a
 * {@link dev.panamark.driver.nvml.MissingNvmlFunctionException}.
 *
 * <p>NVML is safe for use by several threads; only {@link dev.panamark.driver.nvml.NvmlReadings} belongs to one thread at a
 * time, as it reuses its memory. Nothing here may be used after its {@link dev.panamark.driver.nvml.Nvml} was closed.
 */
@NullMarked
package dev.panamark.driver.nvml;

import org.jspecify.annotations.NullMarked;
