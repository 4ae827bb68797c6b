/** Runs PTX kernels without a GPU: load a text, link it to a memory, launch, read the counts. */
@NullMarked
package dev.panamark.ptx;

import org.jspecify.annotations.NullMarked;
