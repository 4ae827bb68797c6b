/** What a kernel is to whoever executes it: typed instructions, registers, segments. */
@NullMarked
package dev.panamark.ptx.ir;

import org.jspecify.annotations.NullMarked;
