/**
 * AMD's ROCm SMI: one method for each C call that is used. A status other than success becomes a
 * {@link dev.panamark.driver.rocmsmi.RocmSmiException}; a function that the library does not have, or that would end the
 * process here, a {@link dev.panamark.driver.rocmsmi.RocmSmiUnavailableException}.
 *
 * <p>Libraries of all versions contain assertions about the kernel's files. Before a call that could abort the process,
 * these files are looked at ({@link dev.panamark.driver.rocmsmi.KernelFiles}).
 *
 * <p>The library is safe for use by several threads; a {@link dev.panamark.driver.rocmsmi.RocmSmiDevice} belongs to one
 * thread at a time, as it reuses its memory. Nothing here may be used after its
 * {@link dev.panamark.driver.rocmsmi.RocmSmi} was closed.
 */
@NullMarked
package dev.panamark.driver.rocmsmi;

import org.jspecify.annotations.NullMarked;
