package dev.panamark.measure;

import dev.panamark.result.Row;
import java.util.SequencedMap;

/**
 * A row as measured.
 *
 * @param row with every metric that could be computed
 * @param code what identifies the code that ran: compiler, options, hashes; empty when it was not loaded
 * @param inputFault whether it failed because of what a person wrote (exit code 2)
 */
public record Measured(Row row, SequencedMap<String, Object> code, boolean inputFault) {}
