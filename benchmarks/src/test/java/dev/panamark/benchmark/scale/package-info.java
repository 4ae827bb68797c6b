@NullMarked
package dev.panamark.benchmark.scale;

import org.jspecify.annotations.NullMarked;
