package dev.panamark.device.cuda;

import dev.panamark.device.Hold;
import dev.panamark.driver.cuda.CudaHostMemory;
import dev.panamark.ffi.Availability;
import java.util.LinkedHashMap;
import java.util.OptionalDouble;
import java.util.SequencedMap;

/** A GPU while something is timed on it. */
final class GpuHold implements Hold {
    private final LaunchGate gate;
    private final EventTimer timer;
    private final SmClock clock;
    private final int forcedBefore;
    private boolean still;

    GpuHold(LaunchGate gate, EventTimer timer, SmClock clock) {
        this.gate = gate;
        this.timer = timer;
        this.clock = clock;
        this.forcedBefore = gate.forced();
        gate.watch();
    }

    @Override
    public SequencedMap<String, Object> facts() {
        SequencedMap<String, Object> facts = new LinkedHashMap<>();
        switch (gate.there()) {
            case Availability.Available<CudaHostMemory> there -> facts.put("launch_gate", true);
            case Availability.Unavailable<CudaHostMemory> no -> facts.put("no_launch_gate", no.text());
        }
        facts.put("shortest_sample", timer.shortest());
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
        OptionalDouble now = clock.now();
        still |= now.isEmpty();
        return now;
    }

    @Override
    public void close() {
        gate.open();
        gate.unwatch();
    }
}
