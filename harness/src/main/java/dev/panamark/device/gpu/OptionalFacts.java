package dev.panamark.device.gpu;

import java.util.SequencedMap;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import java.util.function.Predicate;

/**
 * Facts of a device from attributes that another release of its driver may not know: such a one costs its line and no more.
 *
 * @param facts what is told is put there
 * @param isRefusal whether a failure of an attribute is one that the driver goes on after
 */
public record OptionalFacts(SequencedMap<String, Object> facts, Predicate<RuntimeException> isRefusal) {
    private static final double KILO = 1e3;

    /** An attribute as it is to be shown; a number that is not above 0 says that nothing is known. */
    public void put(String key, IntSupplier attribute, IntFunction<Object> value) {
        try {
            Object made = value.apply(attribute.getAsInt());
            if (!(made instanceof Number n) || n.doubleValue() > 0) {
                facts.put(key, made);
            }
        } catch (RuntimeException e) {
            if (!isRefusal.test(e)) {
                throw e;
            }
        }
    }

    /** A frequency that drivers tell in kHz, in Hz. */
    public static Object hertz(int kilohertz) {
        return kilohertz * KILO;
    }
}
