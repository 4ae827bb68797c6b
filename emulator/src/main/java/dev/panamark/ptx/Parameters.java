package dev.panamark.ptx;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Builds the parameter bytes of a launch, in the order and layout of the kernel. Of one thread. */
public final class Parameters {
    private final KernelInfo kernel;
    private final ByteBuffer bytes;
    private int next;

    private Parameters(KernelInfo kernel) {
        this.kernel = kernel;
        this.bytes = ByteBuffer.allocate(kernel.parameterBytes()).order(ByteOrder.LITTLE_ENDIAN);
    }

    public static Parameters of(KernelInfo kernel) {
        return new Parameters(kernel);
    }

    private int place(int width) {
        List<KernelInfo.Parameter> all = kernel.parameters();
        if (next >= all.size()) {
            throw new IllegalArgumentException(
                    kernel.name() + " has " + all.size() + " parameters; one more was given");
        }
        KernelInfo.Parameter parameter = all.get(next++);
        if (parameter.bytes() != width) {
            throw new IllegalArgumentException("parameter " + next + " of " + kernel.name() + ", " + parameter.name()
                    + ", has " + parameter.bytes() + " bytes; " + width + " were given");
        }
        return parameter.offset();
    }

    /** An address or another value of 8 bytes. */
    public Parameters add(long value) {
        bytes.putLong(place(8), value);
        return this;
    }

    public Parameters add(int value) {
        bytes.putInt(place(4), value);
        return this;
    }

    public Parameters add(float value) {
        bytes.putFloat(place(4), value);
        return this;
    }

    public Parameters add(double value) {
        bytes.putDouble(place(8), value);
        return this;
    }

    /** A structure's bytes. */
    public Parameters add(byte[] value) {
        bytes.put(place(value.length), value);
        return this;
    }

    /** All parameters. */
    public byte[] bytes() {
        if (next != kernel.parameters().size()) {
            throw new IllegalArgumentException(
                    kernel.name() + " has " + kernel.parameters().size() + " parameters; " + next + " were given");
        }
        return bytes.array().clone();
    }
}
