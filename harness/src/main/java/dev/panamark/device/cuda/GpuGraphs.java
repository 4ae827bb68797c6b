package dev.panamark.device.cuda;

import dev.panamark.device.LaunchGraphs;
import dev.panamark.driver.cuda.CudaException;
import dev.panamark.driver.cuda.CudaGraph;
import dev.panamark.driver.cuda.CudaGraphExec;

/** CUDA graphs of what is put into the device's stream. */
final class GpuGraphs implements LaunchGraphs {
    private final CudaGpu gpu;

    GpuGraphs(CudaGpu gpu) {
        this.gpu = gpu;
    }

    @Override
    public Recorded record(Runnable launches) {
        gpu.gate().open();
        return gpu.refusals().attempt(() -> {
            gpu.stream().beginCapture();
            gpu.refusals().collecting(true);
            CudaGraph graph;
            try {
                launches.run();
            } catch (RuntimeException e) {
                abandon();
                throw e;
            } finally {
                gpu.refusals().collecting(false);
            }
            graph = gpu.stream().endCapture();
            try {
                CudaGraphExec executable = graph.instantiate();
                executable.upload(gpu.stream());
                return new Launched(executable);
            } finally {
                gpu.release(graph);
            }
        });
    }

    /** A stream that goes on collecting would take in all that follows. */
    private void abandon() {
        try {
            gpu.stream().endCapture().close();
        } catch (CudaException e) {
            // What made the work fail has ended the collecting too.
        }
    }

    private final class Launched implements Recorded {
        private final CudaGraphExec executable;

        Launched(CudaGraphExec executable) {
            this.executable = executable;
        }

        @Override
        public void run() {
            try {
                executable.launch(gpu.stream());
            } catch (CudaException e) {
                throw gpu.refusals().of(e);
            }
            gpu.gate().launched();
        }

        @Override
        public void close() {
            gpu.release(executable);
        }
    }
}
