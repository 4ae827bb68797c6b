package dev.panamark.ptx.ir;

/**
 * A product of matrices, d = a b + c.
 *
 * @param saturate whether sums of whole numbers that are out of range become the nearest that is not
 */
public record MatrixProduct(MatrixFragment a, MatrixFragment b, MatrixFragment c, MatrixFragment d, boolean saturate) {
    /** Additions and multiplications. */
    public int operations() {
        return 2 * a.rows() * b.columns() * a.columns();
    }

    /**
     * The class of these: of f16 and f8 with f16 sums, which some devices compute faster, {@code tensor_f16_acc16} and
     * {@code tensor_f8_acc16}.
     */
    public String rateClass() {
        return a.element().rateClass() + (d.element() == Element.F16 ? "_acc16" : "");
    }
}
