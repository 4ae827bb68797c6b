package dev.panamark.image;

import java.nio.file.Path;
import java.util.SequencedMap;

/**
 * What a device loads.
 *
 * @param name for messages
 * @param file where it lies
 * @param bytes PTX text without a zero at its end, a cubin or a fatbin; a code object of AMD's
 * @param sha256 of them, hex
 * @param facts where they come from, JSON values
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record Code(String name, Path file, byte[] bytes, String sha256, SequencedMap<String, Object> facts) {}
