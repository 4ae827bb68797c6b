/** What a run leaves behind: rows, metrics, JSON, the journal. Nothing else writes result files. */
@NullMarked
package dev.panamark.result;

import org.jspecify.annotations.NullMarked;
