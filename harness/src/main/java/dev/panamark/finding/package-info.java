/** What was found out about a kernel without knowing its answer: data that devices make and reports show. */
@NullMarked
package dev.panamark.finding;

import org.jspecify.annotations.NullMarked;
