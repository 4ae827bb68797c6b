package dev.panamark.device.cuda;

import dev.panamark.device.gpu.StreamGraphs;
import dev.panamark.driver.cuda.CudaGraph;
import dev.panamark.driver.cuda.CudaGraphExec;

/** CUDA graphs. */
record CudaCapture(CudaGpu gpu) implements StreamGraphs.Capture {
    @Override
    public void begin() {
        gpu.gate().open();
        gpu.stream().beginCapture();
    }

    @Override
    public void abandon() {
        gpu.stream().endCapture().close();
    }

    @Override
    public StreamGraphs.Executable end() {
        CudaGraph graph = gpu.stream().endCapture();
        try {
            CudaGraphExec executable = graph.instantiate();
            executable.upload(gpu.stream());
            return new Executable(gpu, executable);
        } finally {
            gpu.release(graph);
        }
    }

    private record Executable(CudaGpu gpu, CudaGraphExec executable) implements StreamGraphs.Executable {
        @Override
        public void launch() {
            executable.launch(gpu.stream());
            gpu.gate().launched();
        }

        @Override
        public void close() {
            executable.close();
        }
    }
}
