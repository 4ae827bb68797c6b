package dev.panamark.driver.cuda;

import dev.panamark.driver.host.HostLauncher;
import dev.panamark.driver.launch.KernelArguments;

/** Host code with arguments and the stream that it is to launch into. For one thread at a time. */
public final class CudaHostLaunch {
    private final HostLauncher launcher;
    private final CudaStream stream;
    private final KernelArguments arguments;

    /** Calls nothing yet. */
    public CudaHostLaunch(HostLauncher launcher, CudaStream stream, KernelArguments arguments) {
        this.launcher = launcher;
        this.stream = stream;
        this.arguments = arguments;
    }

    /** Calls it with the arguments' values of now; what it returns, 0 for success. Allocates nothing. */
    public int launch() {
        return launcher.call(arguments.pointers(), stream.stream());
    }
}
