@NullMarked
package dev.panamark.ptx.runtime;

import org.jspecify.annotations.NullMarked;
