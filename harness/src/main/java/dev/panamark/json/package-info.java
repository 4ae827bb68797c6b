/** How this program writes JSON for people and programs; it knows no other package. */
@NullMarked
package dev.panamark.json;

import org.jspecify.annotations.NullMarked;
