package dev.panamark.driver.cupti;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_Deinitialize_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_Initialize_Params;
import dev.panamark.raw.cupti.cupti_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** CUPTI's object for what is asked of a chip. */
final class HostObject implements AutoCloseable {
    private final CuptiCalls calls;
    private final MemorySegment object;
    private final OwnedHandle handle;

    /** {@code cuptiProfilerHostInitialize}. */
    HostObject(CuptiCalls calls, String chip, MemorySegment availability) {
        CuptiFunction function = CuptiFunction.HOST_INITIALIZE;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameters = CuptiCalls.parameters(function, arena);
            CUpti_Profiler_Host_Initialize_Params.profilerType(
                    parameters, cupti_h.CUPTI_PROFILER_TYPE_RANGE_PROFILER());
            CUpti_Profiler_Host_Initialize_Params.pChipName(parameters, arena.allocateFrom(chip));
            CUpti_Profiler_Host_Initialize_Params.pCounterAvailabilityImage(parameters, availability);
            calls.call(function, parameters, "chip " + chip + " was asked for");
            object = CUpti_Profiler_Host_Initialize_Params.pHostObject(parameters);
        }
        this.calls = calls;
        handle = OwnedHandle.root("what CUPTI knows of " + chip, this::deinitialize);
    }

    private void deinitialize() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameters = withObject(CuptiFunction.HOST_DEINITIALIZE, arena);
            calls.call(CuptiFunction.HOST_DEINITIALIZE, parameters, "");
        }
    }

    /** The structure of a function on this object; fails where it is closed. */
    MemorySegment parameters(CuptiFunction function, Arena arena) {
        handle.requireOpen();
        return withObject(function, arena);
    }

    private MemorySegment withObject(CuptiFunction function, Arena arena) {
        MemorySegment parameters = CuptiCalls.parameters(function, arena);
        // All such structures have it in the same place.
        CUpti_Profiler_Host_Deinitialize_Params.pHostObject(parameters, object);
        return parameters;
    }

    /** {@code cuptiProfilerHostDeinitialize}, once. */
    @Override
    public void close() {
        handle.close();
    }
}
