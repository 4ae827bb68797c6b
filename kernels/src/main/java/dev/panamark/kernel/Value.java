package dev.panamark.kernel;

/** A value of an axis, a {@code let} or a convention in a kernel file. */
public sealed interface Value {

    /** A whole number. */
    record Int(long value) implements Value {
        @Override
        public String toString() {
            return Long.toString(value);
        }
    }

    /** A number with a fraction. */
    record Real(double value) implements Value {
        @Override
        public String toString() {
            return Double.toString(value);
        }
    }

    /** A word, such as a data type or a layout. */
    record Text(String value) implements Value {
        @Override
        public String toString() {
            return value;
        }
    }

    /** Yes or no. */
    record Bool(boolean value) implements Value {
        @Override
        public String toString() {
            return Boolean.toString(value);
        }
    }
}
