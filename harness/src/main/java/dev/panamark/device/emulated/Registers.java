package dev.panamark.device.emulated;

/**
 * Registers of a thread.
 *
 * @param ofThread how many
 * @param source who says so
 * @param exact whether the device's compiler says so
 */
record Registers(int ofThread, String source, boolean exact) {}
