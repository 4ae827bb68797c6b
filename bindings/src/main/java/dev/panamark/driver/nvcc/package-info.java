/** CUDA C++ to PTX with the toolkit's own compiler, and what other compilers of it share. */
@NullMarked
package dev.panamark.driver.nvcc;

import org.jspecify.annotations.NullMarked;
