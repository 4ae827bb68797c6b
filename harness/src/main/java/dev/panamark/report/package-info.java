/** Views of results for people and programs: console, Markdown, CSV. They read results and nothing else. */
@NullMarked
package dev.panamark.report;

import org.jspecify.annotations.NullMarked;
