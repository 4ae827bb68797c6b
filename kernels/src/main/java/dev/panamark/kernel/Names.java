package dev.panamark.kernel;

import java.util.Set;

/**
 * What an expression may name.
 *
 * @param values axes and lets
 * @param buffers buffers, for the functions of {@code work}
 * @param work whether those functions may be used
 */
record Names(Set<String> values, Set<String> buffers, boolean work) {}
