package dev.panamark.compare;

import java.util.SequencedMap;

/**
 * What was measured on both sides. The image is no part of it: that it changed is why one compares.
 *
 * @param kernel full name
 * @param problem value of every axis, as JSON values
 * @param mode cold, hot or graph
 */
public record Subject(String kernel, SequencedMap<String, Object> problem, String mode) {}
