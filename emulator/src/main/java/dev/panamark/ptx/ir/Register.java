package dev.panamark.ptx.ir;

/** A register of a kernel. Two of the same name are two registers when their scopes differ. */
public final class Register {
    /** Which array of a warp holds it. */
    public enum Storage {
        /** One bit a lane in one int. */
        PREDICATE,
        /** At most 32 bits: an int a lane; shorter values are zero-extended. */
        WORD,
        /** 64 bits: a long a lane. */
        LONG
    }

    private final String name;
    private final Type type;
    private final Storage storage;
    private final int index;
    private final int number;
    private int realUses;

    Register(String name, Type type, Storage storage, int index, int number) {
        this.name = name;
        this.type = type;
        this.storage = storage;
        this.index = index;
        this.number = number;
    }

    public String name() {
        return name;
    }

    public Type type() {
        return type;
    }

    public Storage storage() {
        return storage;
    }

    /** Its place in the array of its storage. */
    public int index() {
        return index;
    }

    /** Its place among all registers of the kernel. */
    public int number() {
        return number;
    }

    /** Notes one use as {@code jvm}. */
    public void used(Jvm jvm) {
        realUses += jvm == Jvm.FLOAT || jvm == Jvm.DOUBLE ? 1 : -1;
    }

    /** How it is best kept while a segment runs. */
    public Jvm local() {
        boolean real = realUses > 0;
        return switch (storage) {
            case PREDICATE -> Jvm.INT;
            case WORD -> real ? Jvm.FLOAT : Jvm.INT;
            case LONG -> real ? Jvm.DOUBLE : Jvm.LONG;
        };
    }

    @Override
    public String toString() {
        return name;
    }
}
