package dev.panamark.device.gpu;

import dev.panamark.device.DeviceProvider.Candidate;
import dev.panamark.ffi.Availability;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Asks a driver for its devices in a thread of its own: one that hangs must not keep 'panamark devices' from answering. */
public final class Discovery {
    /** Starting a driver takes a second or two where many GPUs are, or where nothing keeps them awake. */
    private static final int PATIENCE_SECONDS = 30;

    private Discovery() {}

    /**
     * What the driver answers, or why it does not.
     *
     * @param backend for the thread's name
     * @param driver as sentences name it: {@code CUDA driver}
     * @param hung what to do where it does not answer
     */
    public static List<Availability<Candidate>> ask(
            String backend, String driver, String hung, Supplier<List<Availability<Candidate>>> question) {
        CompletableFuture<List<Availability<Candidate>>> answer = CompletableFuture.supplyAsync(
                question,
                task -> Thread.ofPlatform()
                        .name(backend + "-discovery")
                        .daemon()
                        .start(task));
        try {
            return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            return List.of(
                    Availability.missing("the " + driver + " did not answer within " + PATIENCE_SECONDS + " s", hung));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of(Availability.missing("interrupted while the " + driver + " was asked", "Run again."));
        } catch (ExecutionException e) {
            return List.of(Availability.missing(
                    "looking for GPUs failed: " + e.getCause(), "Report it, with the driver's version."));
        }
    }
}
