package dev.panamark.measure;

import dev.panamark.device.BrokenDeviceException;
import dev.panamark.device.DeviceException;
import dev.panamark.device.MissingEntryException;
import dev.panamark.device.UnsupportedException;
import dev.panamark.kernel.KernelFileException;
import dev.panamark.kernel.fill.FillException;
import dev.panamark.result.Status;

/**
 * What a row says of what was thrown while it was measured.
 *
 * @param status of the row
 * @param reason of it
 * @param inputFault whether it is because of what a person wrote
 */
record Failure(Status status, String reason, boolean inputFault) {

    static Failure of(Throwable thrown) {
        String words = String.valueOf(thrown.getMessage());
        return switch (thrown) {
            case KernelFileException e -> new Failure(Status.FAILED, words, true);
            case MissingEntryException e -> new Failure(Status.FAILED, words, true);
            case FillException e -> new Failure(Status.FAILED, words, true);
            case UnsupportedException e -> new Failure(Status.UNSUPPORTED, words, false);
            case DeviceException e -> new Failure(Status.FAILED, words, false);
            case BrokenDeviceException e -> new Failure(Status.FAILED, words, false);
            case OutOfMemoryError e ->
                new Failure(
                        Status.UNSUPPORTED,
                        "the worker ran out of memory (" + words + "); take a smaller problem",
                        false);
            default -> {
                thrown.printStackTrace(); // into the worker's output file, for whoever looks into it
                yield new Failure(Status.FAILED, "internal error, please report: " + thrown, false);
            }
        };
    }
}
