package dev.panamark.ptx.parse;

/** A place in the PTX text; line and column from 1. */
public record Position(int line, int column) {}
