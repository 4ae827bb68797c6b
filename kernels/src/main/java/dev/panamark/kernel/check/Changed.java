package dev.panamark.kernel.check;

import java.util.List;

/**
 * An input that a kernel changed.
 *
 * @param buffer its name
 * @param offset of the first changed byte
 * @param index of the element that holds it
 * @param before the value of that element before the launch
 * @param after and after it
 */
public record Changed(String buffer, long offset, List<Long> index, double before, double after) {
    /** Copies. */
    public Changed {
        index = List.copyOf(index);
    }

    /** One sentence. */
    public String reason() {
        return "the kernel changed its input: " + buffer + index + " was " + Numbers.text(before) + " and is "
                + Numbers.text(after) + " (byte " + offset + ")";
    }
}
