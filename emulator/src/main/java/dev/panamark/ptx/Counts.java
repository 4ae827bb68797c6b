package dev.panamark.ptx;

/** What a launch did. */
public record Counts() {}
