package dev.panamark.device.hip;

import dev.panamark.device.Hold;
import java.util.LinkedHashMap;
import java.util.OptionalDouble;
import java.util.SequencedMap;

/** Nothing of an AMD GPU is held; what its times may hold is said. */
final class HipHold implements Hold {
    @Override
    public SequencedMap<String, Object> facts() {
        SequencedMap<String, Object> facts = new LinkedHashMap<>();
        facts.put(
                "no_launch_gate",
                "HIP's streams wait for signal memory alone (hipMallocSignalMemory), which is not used here. Times of short"
                        + " launches hold what the host takes to launch them; graphs hold less (--graph).");
        facts.put("clock_unreadable", "no clock of the CUs is read here; rocm-smi --showclocks shows it");
        return facts;
    }

    @Override
    public long interruptions() {
        return 0;
    }

    @Override
    public OptionalDouble clock() {
        return OptionalDouble.empty();
    }

    @Override
    public void close() {}
}
