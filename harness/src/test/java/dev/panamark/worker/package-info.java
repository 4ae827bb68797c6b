/** The parent's side of workers, with workers that do as they are scripted. */
@NullMarked
package dev.panamark.worker;

import org.jspecify.annotations.NullMarked;
