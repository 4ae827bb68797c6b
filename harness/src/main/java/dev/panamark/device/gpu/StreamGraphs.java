package dev.panamark.device.gpu;

import dev.panamark.device.LaunchGraphs;

/** Graphs of what is put into a GPU's stream. */
public final class StreamGraphs implements LaunchGraphs {
    private final Gpu gpu;
    private final Capture capture;

    /** Those of an open GPU. */
    public StreamGraphs(Gpu gpu, Capture capture) {
        this.gpu = gpu;
        this.capture = capture;
    }

    /** What the driver does for graphs. */
    public interface Capture {
        /** From now on the stream collects. */
        void begin();

        /** Ends collecting, with nothing to come of it. */
        void abandon();

        /** Ends collecting. */
        Executable end();
    }

    /** What was collected, on the device. */
    public interface Executable extends AutoCloseable {
        /** Puts all of it into the stream. Allocates nothing. */
        void launch();

        @Override
        void close();
    }

    @Override
    public Recorded record(Runnable launches) {
        return gpu.refusals().attempt(() -> {
            capture.begin();
            gpu.refusals().collecting(true);
            try {
                launches.run();
            } catch (RuntimeException e) {
                abandon(e);
                throw e;
            } finally {
                gpu.refusals().collecting(false);
            }
            return new Launched(capture.end());
        });
    }

    /** A stream that goes on collecting would take in all that follows. What made the work fail may have ended it too. */
    private void abandon(RuntimeException cause) {
        try {
            capture.abandon();
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    private final class Launched implements Recorded {
        private final Executable executable;

        Launched(Executable executable) {
            this.executable = executable;
        }

        @Override
        public void run() {
            try {
                executable.launch();
            } catch (RuntimeException e) {
                throw gpu.refusals().of(e);
            }
        }

        @Override
        public void close() {
            gpu.release(executable);
        }
    }
}
