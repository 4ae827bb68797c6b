/**
 * The HIP runtime of AMD's ROCm: one method for each C call that is used. A status other than success becomes a
 * {@link dev.panamark.driver.hip.HipException}; a function that the library does not have, a
 * {@link dev.panamark.driver.hip.MissingHipFunctionException}.
 *
 * <p>Calls on a context's streams, events, modules and memory need its device to be the calling thread's
 * ({@link dev.panamark.driver.hip.HipContext#makeCurrent()}); otherwise any thread may call anything. Closing needs no
 * current device. Nothing may be in use while it is closed: no other thread may be within a call on it, and no stream may
 * still have work for it. A closing that the library refuses may be tried again.
 */
@NullMarked
package dev.panamark.driver.hip;

import org.jspecify.annotations.NullMarked;
