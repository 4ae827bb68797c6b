/** Whether the simulated processes are what they are said to be. */
@NullMarked
package dev.panamark.benchmark.coverage;

import org.jspecify.annotations.NullMarked;
