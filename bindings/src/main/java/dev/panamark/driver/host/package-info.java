/** The host as a device: compiling C kernels, loading them and calling them. */
@NullMarked
package dev.panamark.driver.host;

import org.jspecify.annotations.NullMarked;
