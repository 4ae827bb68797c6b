/** CUDA C++ to PTX with the toolkit's own compiler. */
@NullMarked
package dev.panamark.driver.nvcc;

import org.jspecify.annotations.NullMarked;
