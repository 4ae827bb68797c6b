package dev.panamark.finding;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * Something that a kernel did wrong.
 *
 * @param kind such as {@code read-after-write}
 * @param text a sentence that says what happened, without the place
 * @param at where it was seen first; empty where no single line is to blame
 * @param other the earlier access that it does not fit with
 * @param count how often it was seen
 */
public record Fault(Check check, String kind, String text, Optional<Spot> at, Optional<Spot> other, long count) {

    /**
     * A place in a kernel and who was there.
     *
     * @param line {@code file:line}, or {@code ptx:line} where the text does not name the program's
     * @param block x, y and z; empty where it is not known
     * @param thread x, y and z in the block
     * @param address in the space that the text names
     */
    public record Spot(
            String kernel, String line, Optional<String> block, Optional<String> thread, OptionalLong address) {}
}
