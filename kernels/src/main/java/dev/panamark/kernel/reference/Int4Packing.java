package dev.panamark.kernel.reference;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.format.Formats;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Where 4-bit codes and zero points of a matrix [rows, cols] lie. {@code plain}: groups along columns; {@code q} (u8) [rows,
 * cols/2], the lower column in the low nibble; {@code s} [rows, groups]; {@code z} (u8) of the same shape. The others, as
 * the libraries of their names store a weight [in, out]: groups along rows, words of eight nibbles (i32 or u32), {@code s}
 * [groups, cols] and {@code z} [groups, cols/8]. {@code awq}: q [rows, cols/8], from the low nibble on columns 0, 2, 4, 6,
 * 1, 3, 5, 7, zero points likewise. {@code gptq_v1} and {@code gptq_v2}: q [rows/8, cols], eight rows a word, zero points
 * eight columns a word, both in order; v1 stores the zero point less one, modulo 16.
 */
enum Int4Packing {
    PLAIN,
    AWQ,
    GPTQ_V1,
    GPTQ_V2;

    private static final int[] AWQ_ORDER = {0, 2, 4, 6, 1, 3, 5, 7};

    /** Complains about a convention {@code packing} that is none. */
    static void check(Faults faults) {
        faults.word("packing", Arrays.stream(values()).map(Int4Packing::word).toArray(String[]::new));
    }

    /** What the convention says; plain where it says nothing. */
    static Int4Packing of(Subject subject) {
        return Arrays.stream(values())
                .filter(p -> p.word().equals(subject.word("packing", "plain")))
                .findFirst()
                .orElse(PLAIN);
    }

    /** As a kernel file writes it. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Nibbles of a word of codes. */
    int perWord() {
        return this == PLAIN ? 2 : 8;
    }

    /** Of the groups of a matrix; {@code group} elements each, or all of a row or column for -1. */
    Groups groups(long rows, long cols, long group) {
        return this == PLAIN
                ? new Groups(rows, cols, 1, group == -1 ? cols : group)
                : new Groups(rows, cols, group == -1 ? rows : group, 1);
    }

    /** The nibble of a code, counted from the low nibble of the first word on. */
    long nibbleOf(long row, long col, long cols) {
        return switch (this) {
            case PLAIN -> row * cols + col;
            case AWQ -> row * cols + awq(col);
            case GPTQ_V1, GPTQ_V2 -> (row / 8 * cols + col) * 8 + row % 8;
        };
    }

    /** The element whose code is in a nibble: row times columns plus column. */
    long elementOf(long nibble, long cols) {
        return switch (this) {
            case PLAIN -> nibble;
            case AWQ -> nibble / 8 * 8 + AWQ_ORDER[(int) (nibble % 8)];
            case GPTQ_V1, GPTQ_V2 -> (nibble / 8 / cols * 8 + nibble % 8) * cols + nibble / 8 % cols;
        };
    }

    /** Where the zero point of a group is: its nibble, or its byte for plain. */
    private long zeroAt(int group) {
        return this == AWQ ? awq(group) : group;
    }

    /** The number of the group whose zero point is at a place. */
    private long groupAt(long place) {
        return this == AWQ ? place / 8 * 8 + AWQ_ORDER[(int) (place % 8)] : place;
    }

    private static long awq(long col) {
        return col / 8 * 8 + col % 2 * 4 + col % 8 / 2;
    }

    private int storedLess() {
        return this == GPTQ_V1 ? 1 : 0;
    }

    /** The code of an element. */
    long code(Tensor q, long row, long col, long cols) {
        long nibble = nibbleOf(row, col, cols);
        return (Formats.bits(q, nibble / perWord()) >>> (4 * (nibble % perWord()))) & 15;
    }

    /** The zero point of a group; a plain one may be any byte. */
    long zero(Tensor z, int group) {
        if (this == PLAIN) {
            return Formats.bits(z, group);
        }
        long place = zeroAt(group);
        return ((Formats.bits(z, place / 8) >>> (4 * (place % 8))) + storedLess()) & 15;
    }

    /** Every word of zero points, bit for bit. */
    Expectation zeros(Buffer z, int[] zeros) {
        return Expectation.ofWhole(z.name(), (from, count, into) -> {
            for (int i = 0; i < count; i++) {
                long word = 0;
                if (this == PLAIN) {
                    word = zeros[(int) from + i];
                } else {
                    for (int k = 0; k < 8; k++) {
                        int zero = zeros[(int) groupAt((from + i) * 8 + k)];
                        word |= (zero - storedLess() & 15L) << (4 * k);
                    }
                }
                Formats.setBits(z.type(), into, i, word);
            }
        });
    }

    /** Complains about types and shapes that do not fit a matrix and its groups. */
    void checkShapes(Faults faults, Subject subject, long rows, long cols, Buffer q, Buffer s) {
        long group = (long) subject.number("group", -1);
        long along = this == PLAIN ? cols : rows;
        long size = group == -1 ? along : group;
        if (this == PLAIN && cols % 2 != 0) {
            faults.add("buffers." + q.name() + ".shape: the matrix has " + cols
                    + " columns, expected an even number of columns");
        }
        if (this != PLAIN && (cols % 8 != 0 || (this != AWQ && rows % 8 != 0))) {
            faults.add("check.conventions.packing: " + word() + " packs eights, but the matrix is [" + rows + "x" + cols
                    + "]");
        }
        if (size < 1 || along % size != 0) {
            faults.add("check.conventions.group: " + group + " does not divide the " + along + " "
                    + (this == PLAIN ? "columns" : "rows") + " of " + matrix(subject) + " (-1 means a whole "
                    + (this == PLAIN ? "row" : "column") + ")");
            return;
        }
        types(faults, q);
        faults.type(s, DataType.F32);
        switch (this) {
            case PLAIN -> faults.shape(q, "[rows, cols/2]", List.of(rows, cols / 2));
            case AWQ -> faults.shape(q, "[rows, cols/8]", List.of(rows, cols / 8));
            case GPTQ_V1, GPTQ_V2 -> faults.shape(q, "[rows/8, cols]", List.of(rows / 8, cols));
        }
        long groups = along / size;
        if (this == PLAIN) {
            faults.shape(s, "[rows, cols/group]", List.of(rows, groups));
        } else {
            faults.shape(s, "[rows/group, cols]", List.of(groups, cols));
        }
        subject.find("z").ifPresent(z -> {
            types(faults, z);
            if (this == PLAIN) {
                faults.shape(z, "[rows, cols/group]", List.of(rows, groups));
            } else {
                faults.shape(z, "[rows/group, cols/8]", List.of(groups, cols / 8));
            }
        });
    }

    private static String matrix(Subject subject) {
        return subject.find("x").isPresent() ? subject.nameOf("x") : "the matrix";
    }

    private void types(Faults faults, Buffer b) {
        if (this == PLAIN) {
            faults.type(b, DataType.U8);
        } else {
            faults.type(b, DataType.I32, DataType.U32);
        }
    }
}
