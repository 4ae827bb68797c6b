package dev.panamark.ptx.ir;

/** What an atomic operation does. */
public enum AtomicKind {
    ADD,
    MIN,
    MAX,
    AND,
    OR,
    XOR,
    EXCH,
    CAS,
    INC,
    DEC
}
