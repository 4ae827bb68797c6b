/** {@code benchmarks/emulator}: how fast kernels are emulated, beside the same work done otherwise. */
@NullMarked
package dev.panamark.benchmark.emulator;

import org.jspecify.annotations.NullMarked;
