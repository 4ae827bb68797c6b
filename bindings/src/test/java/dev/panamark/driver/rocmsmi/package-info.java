/** The wrappers of ROCm SMI, on the fake of native-build/fakes/rocmsmi; the real library is run by tests of the harness. */
@NullMarked
package dev.panamark.driver.rocmsmi;

import org.jspecify.annotations.NullMarked;
