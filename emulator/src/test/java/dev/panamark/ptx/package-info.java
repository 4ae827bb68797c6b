@NullMarked
package dev.panamark.ptx;

import org.jspecify.annotations.NullMarked;
