package dev.panamark.ptx.ir;

import java.util.ArrayList;
import java.util.List;

/** The registers of a kernel, numbered as they come. */
@SuppressWarnings("EnumOrdinal") // Within one program run, a number says as much as the constant.
public final class Registers {
    private final List<Register> all = new ArrayList<>();
    private final int[] counts = new int[Register.Storage.values().length];

    public Register add(String name, Type type) {
        Register.Storage storage = type == Type.PRED
                ? Register.Storage.PREDICATE
                : type.bits() == 64 ? Register.Storage.LONG : Register.Storage.WORD;
        Register register = new Register(name, type, storage, counts[storage.ordinal()]++, all.size());
        all.add(register);
        return register;
    }

    /** How many there are in a storage. */
    public int count(Register.Storage storage) {
        return counts[storage.ordinal()];
    }

    public List<Register> all() {
        return List.copyOf(all);
    }
}
