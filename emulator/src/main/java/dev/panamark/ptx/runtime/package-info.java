/** What runs: memory, warps, schedule, and the meaning of every instruction as static methods. */
@NullMarked
package dev.panamark.ptx.runtime;

import org.jspecify.annotations.NullMarked;
