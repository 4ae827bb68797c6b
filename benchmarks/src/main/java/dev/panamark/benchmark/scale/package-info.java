/** What a large result costs: read, shown and compared in one process. See README.md in {@code benchmarks}. */
@NullMarked
package dev.panamark.benchmark.scale;

import org.jspecify.annotations.NullMarked;
