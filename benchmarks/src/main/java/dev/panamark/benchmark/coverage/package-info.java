/**
 * How far Panamark's intervals and verdicts can be trusted: simulated launches of which the truth is known go the way
 * that real ones go. See README.md in {@code benchmarks}.
 */
@NullMarked
package dev.panamark.benchmark.coverage;

import org.jspecify.annotations.NullMarked;
