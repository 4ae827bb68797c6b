package dev.panamark.kernel.reference;

/** One query of one head, and what attention makes of it: in double precision and in the output's own. */
final class AttentionRow {

    /** A result; written by the one thread that computes the row. */
    static final class Result {
        /** The output row. */
        final double[] values;

        /** Its log-sum-exp. */
        double lse;

        Result(int valueDim) {
            values = new double[valueDim];
        }
    }

    private final int sequence;
    private final int head;
    private final long query;
    private final int first;
    private final int last;

    final Result exact;
    final Result plain;

    AttentionRow(AttentionProblem problem, int sequence, int head, long query) {
        this.sequence = sequence;
        this.head = head;
        this.query = query;
        this.first = Math.toIntExact(problem.mask().first(query, sequence));
        this.last = (int) Math.max(-1, problem.mask().last(query, sequence));
        this.exact = new Result(problem.valueDim());
        this.plain = new Result(problem.valueDim());
    }

    int sequence() {
        return sequence;
    }

    int head() {
        return head;
    }

    long query() {
        return query;
    }

    /** First key that it sees. */
    int first() {
        return first;
    }

    /** Last key that it sees. */
    int last() {
        return last;
    }

    /** Whether it sees no key at all. */
    boolean isEmpty() {
        return last < first;
    }
}
