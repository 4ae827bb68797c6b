/** PTX text to a syntax tree; positions are kept. Knows grammar, not instructions. */
@NullMarked
package dev.panamark.ptx.parse;

import org.jspecify.annotations.NullMarked;
