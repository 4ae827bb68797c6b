package dev.panamark.fake;

import dev.panamark.driver.cuda.CudaFunction;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Failures of the CUDA driver; names and values of statuses are cuda.h's. */
class CudaFaultTableTest extends FaultTable {
    private static final Set<CudaFunction> CLOSING = Set.of(CudaFunction.MEM_FREE, CudaFunction.MODULE_UNLOAD);

    /** Which context is current is asked, and then set anyway, where something is given back: no failure of these matters. */
    private static final Set<String> REPEATED = Set.of("cuCtxGetCurrent", "cuCtxSetCurrent");

    private static final String PARAMETERS = "cuFuncGetParamInfo";

    CudaFaultTableTest() throws Throwable {
        super(
                new FakeRows(FakeCuda.load()),
                "device h100-sxm\nduration * 1000000000\nduration panamark_empty 1000\n",
                Arrays.stream(CudaFunction.values())
                        .map(f -> new Function(f.symbols().getFirst(), f.documented(), CLOSING.contains(f)))
                        .toList(),
                Map.of(
                        1,
                        "CUDA_ERROR_INVALID_VALUE",
                        2,
                        "CUDA_ERROR_OUT_OF_MEMORY",
                        700,
                        "CUDA_ERROR_ILLEGAL_ADDRESS",
                        999,
                        "CUDA_ERROR_UNKNOWN"));
    }

    @Override
    List<Path> kernelFiles(Path temporary) throws Exception {
        return ScaledKernels.write(temporary);
    }

    @Override
    boolean isHarmless(Fault fault) {
        return switch (fault.function().documented()) {
            // As a driver answers that is too old for an attribute; it costs a limiter of the occupancy.
            case "cuDeviceGetAttribute" -> fault.status() == 1;
            // As a driver answers past the last parameter.
            case PARAMETERS -> fault.status() == 1;
            default -> REPEATED.contains(fault.function().documented());
        };
    }

    /** This is how the driver says that a kernel has no further parameter. */
    @Override
    Optional<String> otherWords(Fault fault) {
        return fault.function().documented().equals(PARAMETERS) && fault.status() == 1
                ? Optional.of("takes 0 arguments, not 3")
                : Optional.empty();
    }
}
