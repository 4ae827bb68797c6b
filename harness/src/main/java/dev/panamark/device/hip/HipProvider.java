package dev.panamark.device.hip;

import dev.panamark.device.BrokenDeviceException;
import dev.panamark.device.Device;
import dev.panamark.device.DeviceException;
import dev.panamark.device.DeviceInfo;
import dev.panamark.device.DeviceProvider;
import dev.panamark.device.ProfilerProgram;
import dev.panamark.device.UnsupportedException;
import dev.panamark.device.gpu.Discovery;
import dev.panamark.driver.hip.HipDevice;
import dev.panamark.driver.hip.HipDriver;
import dev.panamark.driver.hip.HipException;
import dev.panamark.driver.hip.MissingHipFunctionException;
import dev.panamark.ffi.Availability;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds the GPUs that the HIP runtime shows this process. */
public final class HipProvider implements DeviceProvider {
    private static final String BACKEND = "hip";

    private final Map<String, String> env;
    private final Path cacheDir;
    private final HipFacts facts;

    /**
     * For the running system.
     *
     * @param env environment variables: which runtime, for the compilers, and what hides devices
     * @param cacheDir where compiled kernels are kept
     * @param sys {@code /sys}, or a folder that stands for it
     */
    public HipProvider(Map<String, String> env, Path cacheDir, Path sys) {
        this.env = Map.copyOf(env);
        this.cacheDir = cacheDir;
        this.facts = new HipFacts(sys, this.env);
    }

    @Override
    public String backend() {
        return BACKEND;
    }

    @Override
    public List<Availability<Candidate>> discover() {
        return Discovery.ask(
                BACKEND,
                "HIP runtime",
                "Check that rocminfo answers; a GPU that hangs needs a reset (rocm-smi --gpureset) or a reboot.",
                this::found);
    }

    private List<Availability<Candidate>> found() {
        try {
            return switch (HipDriver.find(env)) {
                case Availability.Available<HipDriver>(HipDriver driver) -> devices(driver);
                case Availability.Unavailable<HipDriver> none -> List.of(none.as());
            };
        } catch (HipException | MissingHipFunctionException e) {
            return List.of(unanswered("", e));
        }
    }

    /** Where there are none, the runtime says so when it is initialized. */
    private List<Availability<Candidate>> devices(HipDriver driver) {
        List<Availability<Candidate>> all = new ArrayList<>();
        int count = driver.deviceCount();
        for (int i = 0; i < count; i++) {
            try {
                all.add(Availability.of(new Found(i, facts.of(driver, driver.device(i)))));
            } catch (HipException | MissingHipFunctionException e) {
                all.add(unanswered(HipFacts.id(i) + ": ", e));
            }
        }
        return all;
    }

    private static Availability<Candidate> unanswered(String whose, RuntimeException e) {
        return Availability.missing(
                whose + e.getMessage(),
                "Check that rocminfo shows every GPU, and read the kernel's log (dmesg) for amdgpu.");
    }

    private final class Found implements Candidate {
        private final int ordinal;
        private final DeviceInfo info;

        Found(int ordinal, DeviceInfo info) {
            this.ordinal = ordinal;
            this.info = info;
        }

        @Override
        public DeviceInfo info() {
            return info;
        }

        @Override
        public Optional<Availability<ProfilerProgram>> profilerProgram() {
            return Optional.of(Rocprof.find(env));
        }

        @Override
        public Device open() {
            HipDriver driver = HipDriver.find(env)
                    .orElseThrow(why -> new DeviceException(info.id() + " cannot be opened: " + why));
            try {
                HipDevice device = driver.device(ordinal);
                return HipGpu.open(driver, device, info, env, cacheDir);
            } catch (HipException | MissingHipFunctionException | UnsupportedException | BrokenDeviceException e) {
                throw new DeviceException(info.id() + " cannot be opened: " + e.getMessage(), e);
            }
        }
    }
}
