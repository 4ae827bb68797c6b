/** What every kind of device offers to the harness; no backend is named here. */
@NullMarked
package dev.panamark.device;

import org.jspecify.annotations.NullMarked;
