/** What a launch did, counted exactly, and the rules by which memory accesses are counted. */
@NullMarked
package dev.panamark.ptx.count;

import org.jspecify.annotations.NullMarked;
