/** The command line: parse, call, print, exit code. */
@NullMarked
package dev.panamark.cli;

import org.jspecify.annotations.NullMarked;
