package dev.panamark.measure;

import dev.panamark.device.CacheSweep;

/** A subject whose launches find nothing of their data in the caches. A sample is one launch. */
final class Cold implements Subject {
    private final Subject inner;
    private final CacheSweep sweep;

    Cold(Subject inner, CacheSweep sweep) {
        this.inner = inner;
        this.sweep = sweep;
    }

    @Override
    public void restore() {
        inner.restore();
        sweep.sweep();
    }

    @Override
    public boolean needsRestore() {
        return true;
    }

    @Override
    public double time(int launches) {
        return inner.time(launches);
    }
}
