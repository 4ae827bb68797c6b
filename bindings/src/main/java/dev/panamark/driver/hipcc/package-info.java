/** Compilers that make code objects of HIP sources: those of ROCm, and clang without ROCm. */
@NullMarked
package dev.panamark.driver.hipcc;

import org.jspecify.annotations.NullMarked;
