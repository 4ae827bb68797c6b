/** Executes segments as written, one instruction after the other: the oracle of the compiler. */
@NullMarked
package dev.panamark.ptx.interpret;

import org.jspecify.annotations.NullMarked;
