/** What measures, on a device and by a clock that are simulated. */
@NullMarked
package dev.panamark.measure;

import org.jspecify.annotations.NullMarked;
