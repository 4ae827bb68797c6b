/** Makes the PTX that comes with the program; a tool for those who change kernels, which no command uses. */
@NullMarked
package dev.panamark.prebuilt;

import org.jspecify.annotations.NullMarked;
