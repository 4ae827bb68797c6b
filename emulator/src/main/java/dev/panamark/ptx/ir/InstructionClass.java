package dev.panamark.ptx.ir;

/** What an instruction is counted as. */
public enum InstructionClass {
    INTEGER,
    LOGIC,
    FLOAT32,
    FLOAT64,
    HALF,
    SPECIAL_FUNCTION,
    CONVERT,
    COMPARE,
    MOVE,
    LOAD_GLOBAL,
    STORE_GLOBAL,
    LOAD_SHARED,
    STORE_SHARED,
    LOAD_LOCAL,
    STORE_LOCAL,
    LOAD_GENERIC,
    STORE_GENERIC,
    LOAD_PARAM,
    ATOMIC,
    COPY_ASYNC,
    MBARRIER,
    CROSS_LANE,
    TENSOR,
    BARRIER,
    FENCE,
    CONTROL,
    OTHER,
    /** Not in the text. */
    NONE
}
