/** AMD GPUs without one: files as the kernel's driver shows them, and the real ROCm SMI on them. */
@NullMarked
package dev.panamark.amd;

import org.jspecify.annotations.NullMarked;
