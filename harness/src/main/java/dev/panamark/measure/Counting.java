package dev.panamark.measure;

import dev.panamark.device.Counted;
import dev.panamark.device.LaunchCounter;
import dev.panamark.device.UnsupportedException;
import dev.panamark.ffi.Availability;
import java.util.Optional;

/** A pass that is counted, on a device that cannot time it. */
final class Counting implements Runnable {
    private final Prepared prepared;
    private final Runnable begins;
    private Optional<Counted> counted = Optional.empty();

    /** {@code begins} is told before the launches. */
    Counting(Prepared prepared, Runnable begins) {
        this.prepared = prepared;
        this.begins = begins;
    }

    @Override
    public void run() {
        begins.run();
        LaunchCounter counter = switch (prepared.device().counter()) {
            case Availability.Available<LaunchCounter>(LaunchCounter there) -> there;
            case Availability.Unavailable<LaunchCounter> none ->
                throw new UnsupportedException(prepared.device().info().id() + " has no clock, and " + none.text());
        };
        counted = Optional.of(counter.count(prepared::pass));
    }

    /** What the pass did; empty before it. */
    Optional<Counted> counted() {
        return counted;
    }
}
