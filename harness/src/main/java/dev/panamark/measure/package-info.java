/** One row: validate, warm up, sample, validate again, compute. */
@NullMarked
package dev.panamark.measure;

import org.jspecify.annotations.NullMarked;
