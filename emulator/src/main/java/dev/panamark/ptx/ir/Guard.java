package dev.panamark.ptx.ir;

/** Lanes that do not execute an instruction: those whose predicate is false, or true if {@code negated}. */
public record Guard(Register predicate, boolean negated) {}
