package dev.panamark.kernel.check;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Whether a kernel's outputs are right.
 *
 * @param right every output is accepted
 * @param rule the rule's name; with several outputs under different rules {@code out close, lse exact}
 * @param worst the element that is farthest off; also for right outputs; empty where nothing differs
 * @param errors {@code max_abs}: largest finite difference; {@code cosine}: lowest cosine of an output with its
 *     reference, absent where neither has a length
 * @param checked elements compared with the reference
 * @param elements of all outputs; each was looked at for poison, NaN and infinity
 * @param reason one sentence that says what is wrong; empty when right
 * @param flags {@code nondeterministic}: two runs on the same inputs differ, both within the rule
 */
public record Verdict(
        boolean right,
        String rule,
        Optional<Worst> worst,
        SortedMap<String, Double> errors,
        long checked,
        long elements,
        String reason,
        List<String> flags) {
    /** The same with another flag. */
    Verdict flagged(String flag) {
        List<String> more = new ArrayList<>(flags);
        more.add(flag);
        return new Verdict(right, rule, worst, errors, checked, elements, reason, more);
    }

    /** The same, wrong for this reason. */
    Verdict wrong(String why) {
        return new Verdict(false, rule, worst, errors, checked, elements, why, flags);
    }

    /** Copies. */
    public Verdict {
        errors = Collections.unmodifiableSortedMap(new TreeMap<>(errors));
        flags = List.copyOf(flags);
    }
}
