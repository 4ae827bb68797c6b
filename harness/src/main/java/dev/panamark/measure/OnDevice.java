package dev.panamark.measure;

import dev.panamark.kernel.Inputs;

/** A prepared kernel as something to be sampled. Allocates nothing a launch. */
final class OnDevice implements Subject {
    private final Prepared prepared;
    private final Inputs inputs;
    private final boolean inPlace;
    private int launches;
    private final Runnable passes = this::passes;

    OnDevice(Prepared prepared, Inputs inputs) {
        this.prepared = prepared;
        this.inputs = inputs;
        this.inPlace = prepared.worksInPlace();
    }

    @Override
    public void restore() {
        if (inPlace) {
            prepared.restore(inputs);
        }
    }

    @Override
    public boolean needsRestore() {
        return inPlace;
    }

    @Override
    public double time(int count) {
        launches = count;
        return prepared.device().timer().time(passes);
    }

    private void passes() {
        for (int i = launches; i > 0; i--) {
            prepared.pass();
        }
    }
}
