/** The generated bindings against the headers that they were generated from. */
@NullMarked
package dev.panamark.raw;

import org.jspecify.annotations.NullMarked;
