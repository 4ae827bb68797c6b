package dev.panamark.ptx.ir;

/** Where an access goes. Constants are in global memory; parameters of device functions in local memory. */
public enum Space {
    GLOBAL,
    CONST,
    SHARED,
    LOCAL,
    PARAM,
    GENERIC
}
