package dev.panamark.device.cuda;

import dev.panamark.device.gpu.Refusals;
import dev.panamark.device.gpu.Refusals.Meaning;
import dev.panamark.driver.cuda.CudaContext;
import dev.panamark.driver.cuda.CudaException;
import dev.panamark.driver.cuda.MissingCudaFunctionException;
import java.util.Optional;

/** What the statuses of the CUDA driver mean for a row. */
record CudaMeanings(CudaContext context) implements Refusals.Driver {
    @Override
    public Optional<Meaning> meaning(RuntimeException failure) {
        return switch (failure) {
            case MissingCudaFunctionException _ -> Optional.of(Meaning.UNSUPPORTED);
            case CudaException e -> Optional.of(meaning(e));
            default -> Optional.empty();
        };
    }

    private static Meaning meaning(CudaException e) {
        if (e.isOfResources() || e.isUnsupported()) {
            return Meaning.UNSUPPORTED;
        }
        if (e.isOfImage() || e.isNotFound()) {
            return Meaning.OF_WHAT_WAS_GIVEN;
        }
        return e.isFatal() ? Meaning.FATAL : Meaning.UNKNOWN;
    }

    @Override
    public void synchronize() {
        context.synchronize();
    }
}
