package dev.panamark.ptx.ir;

/** The JVM type of a value while it is computed with. */
public enum Jvm {
    INT(int.class),
    LONG(long.class),
    FLOAT(float.class),
    DOUBLE(double.class);

    private final Class<?> type;

    Jvm(Class<?> type) {
        this.type = type;
    }

    public Class<?> type() {
        return type;
    }

    /** That of a parameter or result of a static method; a boolean counts as an int of 0 or 1. */
    public static Jvm of(Class<?> type) {
        if (type == int.class || type == boolean.class) {
            return INT;
        }
        if (type == long.class) {
            return LONG;
        }
        if (type == float.class) {
            return FLOAT;
        }
        if (type == double.class) {
            return DOUBLE;
        }
        throw new IllegalArgumentException(type + "; expected int, long, float or double");
    }
}
