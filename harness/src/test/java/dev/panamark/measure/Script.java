package dev.panamark.measure;

import java.util.function.IntToDoubleFunction;

/** A subject whose launches take what a function of their number (from 0) says, in seconds. */
final class Script implements Subject {
    private final FakeClock clock;
    private final IntToDoubleFunction seconds;
    private final boolean inPlace;
    double restoring;
    int launches;
    int restored;

    Script(FakeClock clock, boolean inPlace, IntToDoubleFunction seconds) {
        this.clock = clock;
        this.inPlace = inPlace;
        this.seconds = seconds;
    }

    @Override
    public void restore() {
        restored++;
        clock.advance(restoring);
    }

    @Override
    public boolean needsRestore() {
        return inPlace;
    }

    @Override
    public double time(int count) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += seconds.applyAsDouble(launches++);
        }
        clock.advance(sum);
        return sum;
    }
}
