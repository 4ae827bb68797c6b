@NullMarked
package dev.panamark.ptx.count;

import org.jspecify.annotations.NullMarked;
