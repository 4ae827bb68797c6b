package dev.panamark.device.cpu;

import dev.panamark.device.Hold;
import dev.panamark.driver.host.HostThread;
import java.util.List;
import java.util.OptionalDouble;
import java.util.SequencedMap;

/** The launching thread on a processor of its own, and what the scheduler and the clock did meanwhile. */
final class CpuHold implements Hold {
    private final Pinning pinning;
    private final Frequency frequency;
    private final List<Integer> processors;
    private final HostThread.SwitchCounter switches = new HostThread.SwitchCounter();

    /** Binds the calling thread, the pool's first. */
    CpuHold(Pinning pinning, Frequency frequency) {
        this.pinning = pinning;
        this.frequency = frequency;
        this.processors = HostThread.allowed();
        pinning.bind(0);
    }

    @Override
    public SequencedMap<String, Object> facts() {
        SequencedMap<String, Object> facts = pinning.facts();
        if (clock().isEmpty()) {
            facts.put("clock_unreadable", frequency.file(processors.getFirst()) + " is not there or not readable");
        }
        return facts;
    }

    /** Involuntary context switches of all threads of this process. */
    @Override
    public long interruptions() {
        return switches.involuntary();
    }

    @Override
    public OptionalDouble clock() {
        return frequency.slowest(processors);
    }

    @Override
    public void close() {
        pinning.release();
    }
}
