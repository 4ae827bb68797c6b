package dev.panamark.measure;

import dev.panamark.device.Hold;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.SequencedMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Holds nothing; what happens meanwhile is what a test says. */
final class FakeHold implements Hold {
    LongSupplier interruptions = () -> 0;
    Supplier<OptionalDouble> clock = OptionalDouble::empty;
    int held;
    int closed;

    @Override
    public SequencedMap<String, Object> facts() {
        return new LinkedHashMap<>(Map.of("pinned_to", List.of(3L)));
    }

    @Override
    public long interruptions() {
        return interruptions.getAsLong();
    }

    @Override
    public OptionalDouble clock() {
        return clock.get();
    }

    @Override
    public void close() {
        closed++;
    }
}
