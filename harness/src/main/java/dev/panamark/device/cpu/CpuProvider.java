package dev.panamark.device.cpu;

import dev.panamark.device.Device;
import dev.panamark.device.DeviceInfo;
import dev.panamark.device.DeviceProvider;
import dev.panamark.driver.host.HostCompiler;
import dev.panamark.ffi.Availability;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** Finds {@code cpu:0}, which is there when a C compiler is. */
public final class CpuProvider implements DeviceProvider {
    private final Map<String, String> env;
    private final Path cacheDir;
    private final OptionalInt threads;
    private final HostRoots roots;

    /**
     * For the running system, with as many threads as its affinity and control groups allow.
     *
     * @param env environment variables: {@code CC} and {@code PATH} are used, and all are the compiler's
     * @param cacheDir where compiled kernels are kept; made when the first is
     */
    public CpuProvider(Map<String, String> env, Path cacheDir) {
        this(env, cacheDir, OptionalInt.empty(), HostRoots.system());
    }

    /**
     * For any description of a machine.
     *
     * @param env environment variables: {@code CC} and {@code PATH} are used, and all are the compiler's
     * @param cacheDir where compiled kernels are kept; made when the first is
     * @param threads that run kernels, at least 1; empty means as many as affinity and control groups allow
     * @param roots where the machine is described
     */
    public CpuProvider(Map<String, String> env, Path cacheDir, OptionalInt threads, HostRoots roots) {
        if (threads.isPresent() && threads.getAsInt() < 1) {
            throw new IllegalArgumentException("cpu:0 needs at least 1 thread, not " + threads.getAsInt());
        }
        this.env = Map.copyOf(env);
        this.cacheDir = cacheDir;
        this.threads = threads;
        this.roots = roots;
    }

    @Override
    public String backend() {
        return "cpu";
    }

    @Override
    public List<Availability<Candidate>> discover() {
        return switch (HostCompiler.find(env)) {
            case Availability.Unavailable<HostCompiler> none -> List.of(none.as());
            case Availability.Available<HostCompiler>(HostCompiler compiler) -> {
                int units = threads.orElseGet(Runtime.getRuntime()::availableProcessors);
                yield List.of(Availability.of(new Found(new CpuFacts(roots).info(units, compiler), compiler, units)));
            }
        };
    }

    private final class Found implements Candidate {
        private final DeviceInfo info;
        private final HostCompiler compiler;
        private final int units;

        Found(DeviceInfo info, HostCompiler compiler, int units) {
            this.info = info;
            this.compiler = compiler;
            this.units = units;
        }

        @Override
        public DeviceInfo info() {
            return info;
        }

        @Override
        public Device open() {
            return new CpuDevice(info, compiler, cacheDir, roots, units);
        }
    }
}
