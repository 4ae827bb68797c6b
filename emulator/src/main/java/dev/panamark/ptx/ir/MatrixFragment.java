package dev.panamark.ptx.ir;

import java.util.concurrent.ConcurrentHashMap;

/**
 * Which elements of a matrix the 32 lanes hold in their registers. Layout of {@code mma.sync}: PTX ISA, "Matrix Fragments
 * for mma.m8n8k4" to "mma.m16n8k256", whose rules for all shapes but f16 of m8n8k4 are one. With g = lane / 4,
 * t = lane % 4 and e elements in a register, element j of register r is
 *
 * <ul>
 *   <li>of A, in a tile of 16 rows: row g + 8 (r % 2), column e t + j + 4 e (r / 2); of 8 rows: row g, column e t + j + 4 e
 *       r;
 *   <li>of B: row e t + j + 4 e r, column g;
 *   <li>of C and D, with registers of e = 1 element: row g + 8 (r / 2), column 2 t + r % 2; of f16, e = 2: row g + 8 r,
 *       column 2 t + j.
 * </ul>
 *
 * <p>Those of {@code wmma} are up to the device; here they are such tiles, the tiles of a row one after the other. Where
 * a fragment has more registers than that takes, as A and B of f16 have, the rest hold copies.
 */
public final class MatrixFragment {
    /** Which matrix. */
    public enum Use {
        A,
        B,
        /** C or D. */
        ACCUMULATOR
    }

    /** @param copies whether there are more registers than elements take */
    private record Shape(Use use, Element element, int m, int n, int k, boolean copies) {}

    private static final int LANES = 32;

    private static final ConcurrentHashMap<Shape, MatrixFragment> KNOWN = new ConcurrentHashMap<>();

    private final Use use;
    private final Element element;
    private final int rows;
    private final int columns;
    private final int registers;
    private final int distinct;
    private final int[] places;
    private final int[] tiled;

    private MatrixFragment(Shape shape) {
        use = shape.use();
        element = shape.element();
        rows = use == Use.B ? shape.k() : shape.m();
        columns = use == Use.A ? shape.k() : shape.n();
        distinct = rows * columns / LANES / element.perRegister();
        registers = shape.copies() ? 8 : distinct;
        places = new int[distinct * LANES * element.perRegister()];
        int e = element.perRegister();
        for (int i = 0; i < places.length; i++) {
            places[i] = place(i / (LANES * e), i / e % LANES, i % e);
        }
        tiled = new int[places.length];
        for (int i = 0; i < places.length; i++) {
            tiled[i] = inTile(row(places[i]), column(places[i]));
        }
    }

    /** That of {@code mma.sync}; the same object for the same fragment. */
    public static MatrixFragment of(Use use, Element element, int m, int n, int k) {
        return known(new Shape(use, element, m, n, k, false));
    }

    /** That of {@code wmma}; the same object for the same fragment. */
    public static MatrixFragment ofWmma(Use use, Element element, int m, int n, int k) {
        return known(new Shape(use, element, m, n, k, element == Element.F16 && use != Use.ACCUMULATOR));
    }

    private static MatrixFragment known(Shape shape) {
        return KNOWN.computeIfAbsent(shape, MatrixFragment::new);
    }

    private int place(int register, int lane, int j) {
        int g = lane / 4;
        int t = lane % 4;
        int e = element.perRegister();
        int height = Math.min(rows, 16);
        int row;
        int column;
        switch (use) {
            case A -> {
                int inTile = distinct / (rows / height);
                int r = register % inTile;
                int halves = height / 8;
                row = register / inTile * height + g + 8 * (r % halves);
                column = e * t + j + 4 * e * (r / halves);
            }
            case B -> {
                int inTile = distinct / (columns / 8);
                row = e * t + j + 4 * e * (register % inTile);
                column = register / inTile * 8 + g;
            }
            default -> {
                int inTile = height * 8 / LANES / e;
                int tile = register / inTile;
                int r = register % inTile;
                row = tile / (columns / 8) * height + g + 8 * (e == 2 ? r : r / 2);
                column = tile % (columns / 8) * 8 + 2 * t + (e == 2 ? j : r % 2);
            }
        }
        return use == Use.B ? column * rows + row : row * columns + column;
    }

    private int inTile(int row, int column) {
        return switch (use) {
            case A -> row / 16 * 16 * columns + 16 * column + row % 16;
            case B -> column / 8 * 8 * rows + 8 * row + column % 2 * 4 + column % 8 / 2;
            case ACCUMULATOR -> row * columns + column;
        };
    }

    public Use use() {
        return use;
    }

    public Element element() {
        return element;
    }

    public int rows() {
        return rows;
    }

    public int columns() {
        return columns;
    }

    /** Registers of a lane. */
    public int registers() {
        return registers;
    }

    /** Those that are not copies of others; register r holds what r modulo this holds. */
    public int distinct() {
        return distinct;
    }

    /**
     * The number of element j of lane l and register r, at {@code (32 r + l) e + j}: counted along rows, of B along columns.
     */
    public int place(int at) {
        return places[at];
    }

    /** All of {@link #place}; not to be changed. */
    public int[] places() {
        return places;
    }

    /**
     * Other numbers, for products of tiles of 16 rows of A and 8 columns of B: tile after tile, of each its columns of 16 of A
     * or its rows of 8 of B, of which the columns 0, 2, 4 and 6 come before 1, 3, 5 and 7. Not to be changed.
     */
    public int[] tiled() {
        return tiled;
    }

    /** Registers of one tile of 16 rows, of A. */
    public int registersOfTile() {
        return distinct / (rows / Math.min(rows, 16));
    }

    /** The row of the element of that number. */
    public int row(int place) {
        return use == Use.B ? place % rows : place / columns;
    }

    /** The column of the element of that number. */
    public int column(int place) {
        return use == Use.B ? place / rows : place % columns;
    }

    /** How many elements there are. */
    public int elements() {
        return rows * columns;
    }
}
