/** What of a kernel file's image a device loads: texts and binaries as they are, sources compiled or prebuilt. */
@NullMarked
package dev.panamark.image;

import org.jspecify.annotations.NullMarked;
