package dev.panamark.device.hip;

import dev.panamark.device.gpu.Refusals;
import dev.panamark.device.gpu.Refusals.Meaning;
import dev.panamark.driver.hip.HipContext;
import dev.panamark.driver.hip.HipException;
import dev.panamark.driver.hip.MissingHipFunctionException;
import java.util.Optional;

/** What the statuses of the HIP runtime mean for a row. */
record HipMeanings(HipContext context) implements Refusals.Driver {
    @Override
    public Optional<Meaning> meaning(RuntimeException failure) {
        return switch (failure) {
            case MissingHipFunctionException _ -> Optional.of(Meaning.UNSUPPORTED);
            case HipException e -> Optional.of(meaning(e));
            default -> Optional.empty();
        };
    }

    private static Meaning meaning(HipException e) {
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
