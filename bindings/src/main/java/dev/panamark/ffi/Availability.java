package dev.panamark.ffi;

import java.util.List;
import java.util.function.Function;

/**
 * Something that this machine may lack: a library, a compiler, a device, a right to read. Absence is ordinary and
 * carries every reason that was found, and what a person can do about it.
 *
 * @param <T> what is there when it is there
 */
public sealed interface Availability<T> {

    /**
     * It is there.
     *
     * @param <T> what it is
     * @param value the thing itself
     */
    record Available<T>(T value) implements Availability<T> {}

    /**
     * It is not there.
     *
     * @param <T> what it would have been
     * @param reasons one line for every place that was tried, in the order of trying; never empty
     * @param remedy what to install, set or ask for, as one sentence that a person can act on
     */
    record Unavailable<T>(List<String> reasons, String remedy) implements Availability<T> {
        /** Copies the reasons; refuses an absence without one. */
        public Unavailable {
            reasons = List.copyOf(reasons);
            if (reasons.isEmpty()) {
                throw new IllegalArgumentException("an absence needs at least one reason (remedy: " + remedy + ")");
            }
        }

        /** The same absence, seen as that of another type. */
        public <U> Unavailable<U> as() {
            return new Unavailable<>(reasons, remedy);
        }

        /** All reasons and the remedy in one line. */
        public String text() {
            return String.join("; ", reasons) + ". " + remedy;
        }
    }

    /**
     * What is there.
     *
     * @param refusal makes an exception of the reasons and the remedy
     */
    default T orElseThrow(Function<String, ? extends RuntimeException> refusal) {
        return switch (this) {
            case Available<T>(T value) -> value;
            case Unavailable<T> none -> throw refusal.apply(none.text());
        };
    }

    /** {@code value}, there. */
    static <T> Availability<T> of(T value) {
        return new Available<>(value);
    }

    /** Not there, for one reason. */
    static <T> Availability<T> missing(String reason, String remedy) {
        return new Unavailable<>(List.of(reason), remedy);
    }
}
