/** The commands, run as a user runs them but for the process. */
@NullMarked
package dev.panamark.cli;

import org.jspecify.annotations.NullMarked;
