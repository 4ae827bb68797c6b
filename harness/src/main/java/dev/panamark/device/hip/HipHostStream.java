package dev.panamark.device.hip;

import dev.panamark.device.gpu.LauncherModule;
import dev.panamark.driver.hip.HipHostLaunch;
import dev.panamark.driver.hip.HipStream;
import dev.panamark.driver.host.HostLauncher;
import dev.panamark.driver.launch.KernelArguments;
import java.util.function.IntSupplier;

/** Host code is handed a {@code hipStream_t}. */
record HipHostStream(HipStream stream) implements LauncherModule.Stream {
    @Override
    public IntSupplier call(HostLauncher launcher, KernelArguments arguments) {
        return new HipHostLaunch(launcher, stream, arguments)::launch;
    }

    @Override
    public void synchronize() {
        stream.synchronize();
    }
}
