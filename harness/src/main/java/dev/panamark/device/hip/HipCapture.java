package dev.panamark.device.hip;

import dev.panamark.device.gpu.StreamGraphs;
import dev.panamark.driver.hip.HipFunction;
import dev.panamark.driver.hip.HipGraph;
import dev.panamark.driver.hip.HipGraphExec;
import dev.panamark.driver.hip.HipStream;
import dev.panamark.ffi.Availability;

/** HIP graphs. */
record HipCapture(HipGpu gpu) implements StreamGraphs.Capture {
    @Override
    public void begin() {
        gpu.stream().beginCapture();
    }

    @Override
    public void abandon() {
        gpu.stream().endCapture().close();
    }

    @Override
    public StreamGraphs.Executable end() {
        HipGraph graph = gpu.stream().endCapture();
        try {
            HipGraphExec executable = graph.instantiate();
            if (gpu.driver().has(HipFunction.GRAPH_UPLOAD) instanceof Availability.Available<HipFunction>) {
                executable.upload(gpu.stream()); // otherwise the first launch does it, which warming up holds
            }
            return new Executable(gpu.stream(), executable);
        } finally {
            gpu.release(graph);
        }
    }

    private record Executable(HipStream stream, HipGraphExec executable) implements StreamGraphs.Executable {
        @Override
        public void launch() {
            executable.launch(stream);
        }

        @Override
        public void close() {
            executable.close();
        }
    }
}
