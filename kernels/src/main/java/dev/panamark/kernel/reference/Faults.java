package dev.panamark.kernel.reference;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.format.DataType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Collects what a kernel lacks for its reference, in the words of the kernel file. */
final class Faults {
    private final Subject subject;
    private final String reference;
    private final List<String> found = new ArrayList<>();

    Faults(Subject subject, String reference) {
        this.subject = subject;
        this.reference = reference;
    }

    /** Adds a fault. */
    void add(String fault) {
        found.add(fault);
    }

    /** The buffer of a role; a missing one is a fault. */
    Optional<Buffer> need(String role, String what) {
        Optional<Buffer> b = subject.find(role);
        if (b.isEmpty()) {
            add("check: reference '" + reference + "' needs a buffer '" + subject.nameOf(role) + "' " + what
                    + "; there are "
                    + subject.instance().buffers().stream().map(Buffer::name).collect(Collectors.joining(", "))
                    + " (check.buffers maps " + role + " to another name)");
        }
        return b;
    }

    /** As {@link #need}, and the kernel must read it. */
    Optional<Buffer> input(String role, String what) {
        return need(role, what).filter(b -> {
            boolean read = b.role() == Buffer.Role.INPUT || b.role() == Buffer.Role.INOUT;
            if (!read) {
                add("buffers." + b.name() + ".role: the reference '" + reference
                        + "' reads it; input or inout expected");
            }
            return read;
        });
    }

    /** As {@link #need}, and the kernel must write it. */
    Optional<Buffer> output(String role, String what) {
        return need(role, what).filter(b -> {
            if (!b.isOutput()) {
                add("buffers." + b.name() + ".role: the reference '" + reference + "' checks it; output expected");
            }
            return b.isOutput();
        });
    }

    /** The buffer's shape must be one of these. */
    void shape(Buffer b, String meaning, List<Long> expected) {
        if (!b.shape().dims().equals(expected)) {
            add("buffers." + b.name() + ".shape: " + b.shape() + ", expected "
                    + expected.stream().map(String::valueOf).collect(Collectors.joining("x", "[", "]")) + " "
                    + meaning);
        }
    }

    /** The buffer must have this many dimensions. */
    boolean rank(Buffer b, String meaning, int... ranks) {
        boolean right = Arrays.stream(ranks).anyMatch(r -> r == b.shape().rank());
        if (!right) {
            add("buffers." + b.name() + ".shape: " + b.shape() + ", expected " + meaning);
        }
        return right;
    }

    /** The buffer's type must be one of these. */
    boolean type(Buffer b, DataType... types) {
        boolean right = Arrays.asList(types).contains(b.type());
        if (!right) {
            add("buffers." + b.name() + ".type: " + b.type().tag() + ", expected "
                    + Arrays.stream(types).map(DataType::tag).collect(Collectors.joining(" or ")));
        }
        return right;
    }

    /** The buffer's type must be a floating-point one. */
    void floating(Buffer b) {
        if (!b.type().floating()) {
            add("buffers." + b.name() + ".type: " + b.type().tag() + ", expected a floating-point type");
        }
    }

    /** A convention that is there must be a number. */
    void number(String... conventions) {
        for (String c : conventions) {
            if (subject.has(c) && subject.number(c).isEmpty()) {
                add("check.conventions." + c + ": '" + subject.word(c, "") + "', expected a number");
            }
        }
    }

    /** A convention that must be there, a number. */
    void needNumber(String convention, String what) {
        if (!subject.has(convention)) {
            add("check.conventions: reference '" + reference + "' needs '" + convention + "', " + what);
        }
        number(convention);
    }

    /** A convention that is there must be one of these words. */
    void word(String convention, String... words) {
        if (subject.has(convention) && !Arrays.asList(words).contains(subject.word(convention, ""))) {
            add("check.conventions." + convention + ": '" + subject.word(convention, "") + "', expected "
                    + String.join(" or ", words));
        }
    }

    /** Conventions that no one knows are typing errors. */
    void onlyConventions(String... known) {
        Set<String> extra =
                new TreeSet<>(subject.instance().check().conventions().keySet());
        extra.removeAll(Arrays.asList(known));
        for (String e : extra) {
            add("check.conventions." + e + ": reference '" + reference + "' has no such convention; it has "
                    + (known.length == 0 ? "none" : String.join(", ", known)));
        }
    }

    /** Outputs that the reference says nothing about would go unchecked. */
    List<String> orUnchecked(String... roles) {
        List<String> covered = Arrays.stream(roles).map(subject::nameOf).toList();
        for (Buffer b : subject.instance().buffers()) {
            if (b.isOutput() && !covered.contains(b.name())) {
                add("buffers." + b.name() + ": reference '" + reference
                        + "' says nothing about this output; it checks " + String.join(", ", covered)
                        + " (role: scratch leaves a buffer unchecked)");
            }
        }
        return List.copyOf(found);
    }
}
