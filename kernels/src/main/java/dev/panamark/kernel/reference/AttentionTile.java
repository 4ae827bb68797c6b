package dev.panamark.kernel.reference;

import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.format.Formats;
import java.util.ArrayList;
import java.util.List;

/**
 * A few rows that share keys and values. The scores of all keys are kept, so that the softmax is the textbook's: largest
 * score, exponentials, sum, quotient. Inner loops run over keys or over elements of a value, never over a sum, so that
 * the compiler may use vectors without changing a result.
 */
final class AttentionTile {
    private static final int ROWS = 16;
    private static final int KEYS = 128;

    private final AttentionProblem problem;
    private final int sequence;
    private final int kvHead;
    private final List<AttentionRow> rows;
    private final int first;
    private final int last;
    private final DataType type;

    private AttentionTile(AttentionProblem problem, int group, List<AttentionRow> rows) {
        this.problem = problem;
        this.sequence = group / problem.kvHeads();
        this.kvHead = group % problem.kvHeads();
        this.rows = rows;
        this.first = rows.stream().mapToInt(AttentionRow::first).min().orElse(0);
        this.last = rows.stream().mapToInt(AttentionRow::last).max().orElse(-1);
        this.type = problem.out().type();
    }

    /** Cuts the rows of a (sequence, key head) into tiles; rows without keys are done at once. */
    static List<AttentionTile> split(AttentionProblem problem, int group, List<AttentionRow> rows) {
        rows.stream().filter(AttentionRow::isEmpty).forEach(r -> {
            r.exact.lse = problem.emptyLse();
            r.plain.lse = problem.emptyLse();
        });
        List<AttentionRow> full = rows.stream().filter(r -> !r.isEmpty()).toList();
        List<AttentionTile> tiles = new ArrayList<>();
        for (int i = 0; i < full.size(); i += ROWS) {
            tiles.add(new AttentionTile(problem, group, full.subList(i, Math.min(full.size(), i + ROWS))));
        }
        return tiles;
    }

    /** Computes all rows of the tile. */
    void compute() {
        int keys = last - first + 1;
        double[][] exact = new double[rows.size()][keys];
        float[][] plain = new float[rows.size()][keys];
        scores(exact, plain);
        for (int r = 0; r < rows.size(); r++) {
            AttentionRow row = rows.get(r);
            int from = row.first() - first;
            int to = row.last() - first + 1;
            row.exact.lse = problem.logarithm(softmax(exact[r], from, to));
            row.plain.lse = problem.logarithm(plainSoftmax(plain[r], from, to));
        }
        products(exact, plain);
    }

    private void scores(double[][] exact, float[][] plain) {
        int dim = problem.keyDim();
        double[][] queries = queries(dim);
        double[] token = new double[dim];
        double[][] keys = new double[dim][KEYS];
        float[][] plainKeys = new float[dim][KEYS];
        for (int base = 0; base <= last - first; base += KEYS) {
            int count = Math.min(KEYS, last - first + 1 - base);
            for (int j = 0; j < count; j++) {
                double scale = read(KvSource.Part.KEY, first + base + j, token);
                for (int d = 0; d < dim; d++) {
                    keys[d][j] = token[d];
                    plainKeys[d][j] = (float) held(token[d], scale);
                }
            }
            for (int r = 0; r < rows.size(); r++) {
                for (int d = 0; d < dim; d++) {
                    accumulate(exact[r], base, queries[r][d], keys[d], count);
                    accumulate(plain[r], base, (float) queries[r][d], plainKeys[d], count);
                }
            }
        }
        for (int r = 0; r < rows.size(); r++) {
            AttentionRow row = rows.get(r);
            for (int j = 0; j < exact[r].length; j++) {
                double bias = problem.bias().of(sequence, row.head(), row.query(), first + j);
                exact[r][j] = capped(exact[r][j] * problem.scale()) + bias;
                plain[r][j] = (float) Formats.round(type, capped(plain[r][j] * (float) problem.scale()) + bias);
            }
        }
    }

    private double[][] queries(int dim) {
        double[][] queries = new double[rows.size()][dim];
        for (int r = 0; r < rows.size(); r++) {
            AttentionRow row = rows.get(r);
            long at = problem.q().shape().offset(sequence, row.query(), row.head(), 0);
            Formats.read(problem.q(), at, dim, queries[r], 0);
        }
        return queries;
    }

    /** Scores to probabilities; the natural log-sum-exp is returned. Keys outside from..to become 0. */
    private static double softmax(double[] scores, int from, int to) {
        double max = Double.NEGATIVE_INFINITY;
        for (int j = from; j < to; j++) {
            max = Math.max(max, scores[j]);
        }
        double sum = 0;
        for (int j = 0; j < scores.length; j++) {
            scores[j] = j >= from && j < to ? Math.exp(scores[j] - max) : 0;
            sum += scores[j];
        }
        for (int j = from; j < to; j++) {
            scores[j] /= sum;
        }
        return max + Math.log(sum);
    }

    /** The same in f32, with probabilities rounded to the output's type. */
    private double plainSoftmax(float[] scores, int from, int to) {
        float max = Float.NEGATIVE_INFINITY;
        for (int j = from; j < to; j++) {
            max = Math.max(max, scores[j]);
        }
        float sum = 0;
        for (int j = 0; j < scores.length; j++) {
            scores[j] = j >= from && j < to ? (float) Math.exp(scores[j] - max) : 0;
            sum += scores[j];
        }
        for (int j = from; j < to; j++) {
            scores[j] = (float) Formats.round(type, scores[j] / sum);
        }
        return (float) (max + Math.log(sum));
    }

    private void products(double[][] exact, float[][] plain) {
        int dim = problem.valueDim();
        double[] value = new double[dim];
        float[] plainValue = new float[dim];
        float[][] plainSums = new float[rows.size()][dim];
        for (int j = 0; j <= last - first; j++) {
            double scale = read(KvSource.Part.VALUE, first + j, value);
            for (int d = 0; d < dim; d++) {
                plainValue[d] = (float) held(value[d], scale);
            }
            for (int r = 0; r < rows.size(); r++) {
                AttentionRow row = rows.get(r);
                // A key that is not seen takes no part, even where its value is not a number.
                if (first + j >= row.first() && first + j <= row.last()) {
                    accumulate(row.exact.values, 0, exact[r][j], value, dim);
                    accumulate(plainSums[r], 0, plain[r][j], plainValue, dim);
                }
            }
        }
        for (int r = 0; r < rows.size(); r++) {
            for (int d = 0; d < dim; d++) {
                rows.get(r).plain.values[d] = Formats.round(type, plainSums[r][d]);
            }
        }
    }

    private static void accumulate(double[] sums, int base, double factor, double[] values, int count) {
        for (int i = 0; i < count; i++) {
            sums[base + i] += factor * values[i];
        }
    }

    private static void accumulate(float[] sums, int base, float factor, float[] values, int count) {
        for (int i = 0; i < count; i++) {
            sums[base + i] += factor * values[i];
        }
    }

    /** A key or value; the scale that it was multiplied by is returned. */
    private double read(KvSource.Part part, int token, double[] into) {
        problem.source().read(part, sequence, token, kvHead, into);
        double scale = problem.kvScale(part, sequence, token, kvHead);
        if (scale != 1) {
            for (int d = 0; d < into.length; d++) {
                into[d] *= scale;
            }
        }
        return scale;
    }

    /** A key or value as a kernel that works in the output's type would hold it. */
    private double held(double value, double scale) {
        return scale == 1 ? value : Formats.round(type, value);
    }

    private double capped(double score) {
        double cap = problem.softcap();
        return cap == 0 ? score : cap * Math.tanh(score / cap);
    }
}
