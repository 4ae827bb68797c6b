/** What a kernel does wrong while it runs: reads of what nobody wrote, races in shared memory, barriers that not all come to. */
@NullMarked
package dev.panamark.ptx.check;

import org.jspecify.annotations.NullMarked;
