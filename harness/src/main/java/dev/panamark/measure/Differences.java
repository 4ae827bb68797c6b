package dev.panamark.measure;

/**
 * Several launches on a device that queues them: the time of twice as many less that of as many, (T(2k) - T(k)), which leaves
 * out what the clock, filling the queue and emptying it take once a sample. What cannot be less is timed as it is.
 */
final class Differences implements Subject {
    private final Subject inner;
    private boolean longerFirst;

    Differences(Subject inner) {
        this.inner = inner;
    }

    @Override
    public void restore() {
        inner.restore();
    }

    @Override
    public boolean needsRestore() {
        return inner.needsRestore();
    }

    @Override
    public int unit() {
        return inner.unit();
    }

    @Override
    public double time(int launches) {
        if (launches == inner.unit()) {
            return inner.time(launches);
        }
        longerFirst = !longerFirst; // so that a drift does not lean to one side
        double first = inner.time(longerFirst ? 2 * launches : launches);
        double second = inner.time(longerFirst ? launches : 2 * launches);
        double longer = longerFirst ? first : second;
        double shorter = longerFirst ? second : first;
        // Only a disturbance as long as all of the launches gets here; then their mean is a time that was measured.
        return longer > shorter ? longer - shorter : longer / 2;
    }
}
