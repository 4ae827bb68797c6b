package dev.panamark.kernel.reference;

import dev.panamark.kernel.Buffer;
import java.util.Arrays;
import java.util.Optional;

/** Which elements of [rows, cols] share an 8-bit format's scale; rows are tokens, columns are heads one after the other. */
enum Granularity {
    /** All. */
    TENSOR("tensor"),
    /** A row. */
    TOKEN("token"),
    /** A head of all rows. */
    HEAD("head"),
    /** A head of a row. */
    TOKEN_HEAD("token-head"),
    /** 128 columns of a row. */
    BLOCK128("block128");

    private static final long BLOCK = 128;

    private final String word;

    Granularity(String word) {
        this.word = word;
    }

    /** Complains about conventions that say no granularity. */
    static void check(Faults faults, Subject subject) {
        faults.word("granularity", Arrays.stream(values()).map(g -> g.word).toArray(String[]::new));
        faults.number("heads");
        if (subject.word("granularity", "").contains("head") && !subject.has("heads")) {
            faults.needNumber("heads", "how many heads the columns are");
        }
    }

    /** What the convention says, or what follows from the number of scales where it says nothing. */
    static Granularity of(Subject subject, Buffer matrix, Buffer scales) {
        long count = scales.shape().elements();
        Optional<Granularity> said = Arrays.stream(values())
                .filter(g -> g.word.equals(subject.word("granularity", "")))
                .findFirst();
        return said.orElseGet(
                () -> count == 1 ? TENSOR : count == matrix.shape().dim(0) ? TOKEN : BLOCK128);
    }

    /** The groups of a matrix. */
    Groups groups(Subject subject, Buffer matrix) {
        long rows = matrix.shape().dim(0);
        long cols = matrix.shape().dim(1);
        long heads = Math.max(1, (long) subject.number("heads", 1));
        return switch (this) {
            case TENSOR -> new Groups(rows, cols, rows, cols);
            case TOKEN -> new Groups(rows, cols, 1, cols);
            case HEAD -> new Groups(rows, cols, rows, Math.ceilDiv(cols, heads));
            case TOKEN_HEAD -> new Groups(rows, cols, 1, Math.ceilDiv(cols, heads));
            case BLOCK128 -> new Groups(rows, cols, 1, BLOCK);
        };
    }

    /** Complains about scales that are too many or too few, and heads that do not divide the columns. */
    void checkShapes(Faults faults, Subject subject, Buffer matrix, Buffer scales) {
        long cols = matrix.shape().dim(1);
        double heads = subject.number("heads", 1);
        boolean perHead = this == HEAD || this == TOKEN_HEAD;
        if (perHead && (heads < 1 || heads != Math.rint(heads) || cols % (long) heads != 0)) {
            faults.add("check.conventions.heads: " + subject.word("heads", "") + " does not divide the " + cols
                    + " columns of " + matrix.name());
            return;
        }
        long count = groups(subject, matrix).count();
        if (scales.shape().elements() != count) {
            faults.add("buffers." + scales.name() + ".shape: " + scales.shape() + ", expected " + count
                    + " scales for granularity " + this);
        }
    }

    @Override
    public String toString() {
        return word;
    }
}
