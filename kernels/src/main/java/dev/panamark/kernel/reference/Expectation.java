package dev.panamark.kernel.reference;

/**
 * What some elements of one output should be.
 *
 * @param output buffer name
 * @param positions row-major positions of the elements that were computed
 * @param want their values in double precision; for integer outputs exact up to 2^53
 * @param plain the same formula in the output's own precision, for rule {@code twice-native}; empty where no output
 *     asks for it
 */
@SuppressWarnings("ArrayRecordComponent") // millions of elements; compared by nobody
public record Expectation(String output, long[] positions, double[] want, double[] plain) {}
