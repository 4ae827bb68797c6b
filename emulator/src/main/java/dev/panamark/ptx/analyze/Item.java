package dev.panamark.ptx.analyze;

import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Site;
import dev.panamark.ptx.ir.Sync;

/** What a kernel does, in order, before it is cut into segments. Labels are numbers. */
sealed interface Item {
    record Do(Op op) implements Item {}

    record Mark(int label) implements Item {}

    /**
     * A jump.
     *
     * @param counted whether the text has an instruction for it
     */
    record Go(Site site, int label, boolean counted) implements Item {}

    record If(Site site, Register predicate, boolean negated, int label) implements Item {}

    record Meet(Site site, Sync sync) implements Item {}

    record Stop(Site site) implements Item {}

    /** Begins a new segment. */
    record Cut() implements Item {}
}
