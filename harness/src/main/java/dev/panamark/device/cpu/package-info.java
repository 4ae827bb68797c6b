/** The host CPU as a device: one block a call, threads owned by the harness. */
@NullMarked
package dev.panamark.device.cpu;

import org.jspecify.annotations.NullMarked;
