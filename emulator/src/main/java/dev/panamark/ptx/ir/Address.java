package dev.panamark.ptx.ir;

/**
 * Base and offset of an access.
 *
 * @param base an int for shared, local and parameter space, else a long
 * @param offset bytes
 */
public record Address(Expr base, long offset) {}
