package dev.panamark.stats;

/**
 * Values of given ranks without sorting all (Hoare, "Algorithm 65: find", 1961): of two thousand deviations an interval
 * needs four.
 */
final class OrderStatistics {
    private OrderStatistics() {}

    /**
     * What {@link Descriptive#between} finds in the sorted array.
     *
     * @param x finite values, of which the order changes
     * @param position from 1 to n
     */
    static double between(double[] x, double position) {
        int below = (int) Math.floor(position);
        double share = position - below;
        double lo = select(x, below - 1);
        return share == 0 ? lo : lo + share * (least(x, below) - lo);
    }

    /** Brings the value of a rank from 0 to its place, smaller ones before it, larger ones behind it. */
    private static double select(double[] x, int rank) {
        int left = 0;
        int right = x.length - 1;
        while (left < right) {
            double pivot = median(x[left], x[(left + right) >>> 1], x[right]);
            int i = left;
            int j = right;
            while (i <= j) {
                while (x[i] < pivot) {
                    i++;
                }
                while (pivot < x[j]) {
                    j--;
                }
                if (i <= j) {
                    double swap = x[i];
                    x[i++] = x[j];
                    x[j--] = swap;
                }
            }
            if (rank <= j) {
                right = j;
            } else if (rank >= i) {
                left = i;
            } else {
                break;
            }
        }
        return x[rank];
    }

    private static double least(double[] x, int from) {
        double least = x[from];
        for (int i = from + 1; i < x.length; i++) {
            least = Math.min(least, x[i]);
        }
        return least;
    }

    private static double median(double a, double b, double c) {
        return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
    }
}
