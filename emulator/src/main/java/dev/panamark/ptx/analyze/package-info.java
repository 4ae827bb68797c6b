/** From syntax to segments: meaning of instructions, calls, control flow, liveness. */
@NullMarked
package dev.panamark.ptx.analyze;

import org.jspecify.annotations.NullMarked;
