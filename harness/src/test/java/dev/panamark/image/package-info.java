/** Where the code of CUDA images comes from, without nvcc. */
@NullMarked
package dev.panamark.image;

import org.jspecify.annotations.NullMarked;
