package dev.panamark.measure;

import dev.panamark.device.Timer;

/** A timer of which only the properties are asked. */
record FakeTimer(double resolution, boolean isQueued) implements Timer {
    @Override
    public String clock() {
        return "a test's clock";
    }

    @Override
    public double time(Runnable work) {
        throw new UnsupportedOperationException("subjects of tests have their own clock");
    }
}
