/** What is published about devices: rates, clocks, peaks, limits, each figure with its source. Data, and no backend. */
@NullMarked
package dev.panamark.device.profile;

import org.jspecify.annotations.NullMarked;
