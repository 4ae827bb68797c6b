package dev.panamark.device.cuda;

import dev.panamark.device.Hold;
import dev.panamark.device.Watch;
import dev.panamark.driver.cuda.CudaHostMemory;
import dev.panamark.ffi.Availability;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SequencedMap;

/** A GPU while something is timed on it. */
final class GpuHold implements Hold {
    private final LaunchGate gate;
    private final Availability<SmClock> clock;
    private final Availability<GpuState> state;
    private final int forcedBefore;
    private final int overfullBefore;
    private boolean still;

    GpuHold(LaunchGate gate, Availability<SmClock> clock, Availability<GpuState> state) {
        this.gate = gate;
        this.clock = clock;
        this.state = state;
        this.forcedBefore = gate.forced();
        this.overfullBefore = gate.overfull();
        gate.watch();
    }

    @Override
    public SequencedMap<String, Object> facts() {
        SequencedMap<String, Object> facts = new LinkedHashMap<>();
        switch (gate.there()) {
            case Availability.Available<CudaHostMemory> there -> facts.put("launch_gate", true);
            case Availability.Unavailable<CudaHostMemory> no -> facts.put("no_launch_gate", no.text());
        }
        int overfull = gate.overfull() - overfullBefore;
        if (overfull > 0) {
            facts.put("launch_gate_overfull", overfull);
        }
        if (clock instanceof Availability.Unavailable<SmClock> none) {
            facts.put("clock_unreadable", none.text());
        }
        if (still) {
            facts.put("clock_unreadable", "the device's timer (%globaltimer) stands still");
        }
        return facts;
    }

    /** How often the gate had to be opened before everything was queued: what the host took then is in a sample. */
    @Override
    public long interruptions() {
        return (long) gate.forced() - forcedBefore;
    }

    @Override
    public OptionalDouble clock() {
        if (!(clock instanceof Availability.Available<SmClock>(SmClock there))) {
            return OptionalDouble.empty();
        }
        OptionalDouble now = there.now();
        still |= now.isEmpty();
        return now;
    }

    @Override
    public Watch watch() {
        return switch (state) {
            case Availability.Available<GpuState>(GpuState there) -> there.watch();
            case Availability.Unavailable<GpuState> none -> new Blind(none.as());
        };
    }

    @Override
    public List<String> warnings() {
        return state instanceof Availability.Available<GpuState>(GpuState there) ? there.warnings() : List.of();
    }

    /** Nobody tells what state the GPU is in. */
    private record Blind(Availability.Unavailable<Watch.Seen> why) implements Watch {
        @Override
        public void look() {}

        @Override
        public Optional<Availability<Seen>> seen() {
            return Optional.of(why);
        }
    }

    @Override
    public void close() {
        gate.open();
        gate.unwatch();
    }
}
