package dev.panamark.ptx.ir;

import java.util.List;

/**
 * A kernel as it is executed: calls inlined, begins at segment 0.
 *
 * @param sites all instructions by index
 * @param sharedBytes static shared memory
 * @param dynamicAlignment of the first byte of dynamic shared memory
 * @param localBytes of one thread
 * @param undefined registers that may be read before they are written; they begin as 0
 * @param oneHostThread whether all blocks must be run by one thread of the host, in turns: for ordered accesses of more than 8
 *     bytes, both halves of which a device hands on at once and the host does not
 */
public record KernelCode(
        String name,
        List<Segment> segments,
        Registers registers,
        List<Site> sites,
        int parameterBytes,
        int sharedBytes,
        int dynamicAlignment,
        int localBytes,
        List<Register> undefined,
        boolean oneHostThread) {}
