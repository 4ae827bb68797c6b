/**
 * The CUDA driver API: one method for each C call that is used. A status other than success becomes a
 * {@link dev.panamark.driver.cuda.CudaException}; a function that the driver does not have, a
 * {@link dev.panamark.driver.cuda.MissingCudaFunctionException}.
 *
 * <p>Calls on a context's streams, events, modules and memory need that context to be current on the calling thread
 * ({@link dev.panamark.driver.cuda.CudaContext#makeCurrent()}); otherwise any thread may call anything. Closing needs no
 * current context. Nothing may be in use while it is closed: no other thread may be within a call on it, and no stream may
 * still have work for it. A closing that the driver refuses may be tried again.
 */
@NullMarked
package dev.panamark.driver.cuda;

import org.jspecify.annotations.NullMarked;
