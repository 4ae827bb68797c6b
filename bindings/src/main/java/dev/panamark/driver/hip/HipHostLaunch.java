package dev.panamark.driver.hip;

import dev.panamark.driver.host.HostLauncher;
import dev.panamark.driver.launch.KernelArguments;

/** Host code with arguments and the stream that it is to launch into. For one thread at a time. */
public final class HipHostLaunch {
    private final HostLauncher launcher;
    private final HipStream stream;
    private final KernelArguments arguments;

    /** Calls nothing yet. */
    public HipHostLaunch(HostLauncher launcher, HipStream stream, KernelArguments arguments) {
        this.launcher = launcher;
        this.stream = stream;
        this.arguments = arguments;
    }

    /** Calls it with the arguments' values of now; what it returns, 0 for success. Allocates nothing. */
    public int launch() {
        return launcher.call(arguments.pointers(), stream.stream());
    }
}
