package dev.panamark.ptx.parse;

/**
 * A piece of the text.
 *
 * @param text as written; of a string what is between the quotes
 * @param offset of its first character
 * @param end offset after its last character
 */
record Token(Kind kind, String text, int line, int column, int offset, int end) {
    enum Kind {
        /** A name, an opcode's first part, a register, a number that begins with none. */
        NAME,
        /** A directive or modifier: a dot and a word, {@code ::} allowed in it. */
        DOT,
        NUMBER,
        STRING,
        PUNCTUATION,
        END
    }

    boolean is(String punctuation) {
        return kind == Kind.PUNCTUATION && text.equals(punctuation);
    }

    boolean isDot(String word) {
        return kind == Kind.DOT && text.equals(word);
    }

    String shown() {
        return kind == Kind.END
                ? "the end of the text"
                : "'" + (text.length() > 60 ? text.substring(0, 60) : text) + "'";
    }
}
