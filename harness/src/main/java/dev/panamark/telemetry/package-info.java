/** What meters say over time: update periods, windows on their ticks, joules of launches and commands with intervals. */
@NullMarked
package dev.panamark.telemetry;

import org.jspecify.annotations.NullMarked;
