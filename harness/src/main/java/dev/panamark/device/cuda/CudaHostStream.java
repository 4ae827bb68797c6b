package dev.panamark.device.cuda;

import dev.panamark.device.gpu.LauncherModule;
import dev.panamark.driver.cuda.CudaHostLaunch;
import dev.panamark.driver.cuda.CudaStream;
import dev.panamark.driver.host.HostLauncher;
import dev.panamark.driver.launch.KernelArguments;
import java.util.function.IntSupplier;

/** Host code finds the gate open: it may wait for the stream, or fill it. */
record CudaHostStream(CudaStream stream, LaunchGate gate) implements LauncherModule.Stream {
    @Override
    public IntSupplier call(HostLauncher launcher, KernelArguments arguments) {
        CudaHostLaunch launch = new CudaHostLaunch(launcher, stream, arguments);
        return () -> {
            gate.open();
            return launch.launch();
        };
    }

    @Override
    public void synchronize() {
        gate.open();
        stream.synchronize();
    }
}
