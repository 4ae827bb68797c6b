package dev.panamark.ptx.ir;

import java.util.List;

/** A value of one lane, without side effects. */
public sealed interface Expr {
    Jvm jvm();

    /** The same for every lane of a block, whatever the lanes did before. */
    default boolean uniform() {
        return false;
    }

    /**
     * A register's value.
     *
     * @param jvm {@code FLOAT} and {@code DOUBLE} reinterpret its bits
     */
    record Read(Register register, Jvm jvm) implements Expr {}

    /** {@code bits} of an int, float, long or double. */
    record Const(Jvm jvm, long bits) implements Expr {
        public static Const of(int value) {
            return new Const(Jvm.INT, value);
        }

        public static Const of(long value) {
            return new Const(Jvm.LONG, value);
        }

        @Override
        public boolean uniform() {
            return true;
        }
    }

    /** One of a block's numbers. */
    record Uniform(BlockValue value) implements Expr {
        @Override
        public Jvm jvm() {
            return Jvm.INT;
        }

        @Override
        public boolean uniform() {
            return true;
        }
    }

    /** The address of the module's {@code variable}-th global or constant variable. */
    record GlobalAddress(int variable) implements Expr {
        @Override
        public Jvm jvm() {
            return Jvm.LONG;
        }

        @Override
        public boolean uniform() {
            return true;
        }
    }

    /** {@code type} at {@code offset} of the kernel's parameters, signed types sign-extended. */
    record Parameter(Type type, int offset) implements Expr {
        @Override
        public Jvm jvm() {
            return type.jvm();
        }

        @Override
        public boolean uniform() {
            return true;
        }
    }

    /** The number of the lane, 0 to 31. */
    record Lane() implements Expr {
        @Override
        public Jvm jvm() {
            return Jvm.INT;
        }
    }

    /** Coordinate 0, 1 or 2 of the thread in its block. */
    record ThreadIndex(int axis) implements Expr {
        @Override
        public Jvm jvm() {
            return Jvm.INT;
        }
    }

    /** The warp's number in its block. */
    record WarpIndex() implements Expr {
        @Override
        public Jvm jvm() {
            return Jvm.INT;
        }
    }

    /** A clock that runs with the instructions that a block executes. */
    record Clock() implements Expr {
        @Override
        public Jvm jvm() {
            return Jvm.LONG;
        }
    }

    /** A static method's result. */
    record Call(Semantic semantic, List<Expr> arguments) implements Expr {
        @Override
        public Jvm jvm() {
            return semantic.result();
        }
    }
}
