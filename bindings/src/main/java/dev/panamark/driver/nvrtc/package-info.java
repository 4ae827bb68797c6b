/** CUDA C++ to PTX with NVIDIA's compiler in a library, for machines without a toolkit. */
@NullMarked
package dev.panamark.driver.nvrtc;

import org.jspecify.annotations.NullMarked;
