package dev.panamark.device.cuda;

import dev.panamark.device.BrokenDeviceException;
import dev.panamark.device.ClockLock;
import dev.panamark.device.Device;
import dev.panamark.device.DeviceException;
import dev.panamark.device.DeviceInfo;
import dev.panamark.device.DeviceProvider;
import dev.panamark.device.ProfilerProgram;
import dev.panamark.device.UnsupportedException;
import dev.panamark.device.gpu.Discovery;
import dev.panamark.driver.cuda.CudaDevice;
import dev.panamark.driver.cuda.CudaDriver;
import dev.panamark.driver.cuda.CudaException;
import dev.panamark.driver.cuda.CudaVersion;
import dev.panamark.driver.cuda.MissingCudaFunctionException;
import dev.panamark.ffi.Availability;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds the GPUs that the CUDA driver shows this process. */
public final class CudaProvider implements DeviceProvider {
    private static final String BACKEND = "cuda";
    private static final String VISIBLE = "CUDA_VISIBLE_DEVICES";

    /** Contexts and streams have had their present functions since then. */
    private static final CudaVersion LEAST = new CudaVersion(11, 0);

    private final Map<String, String> env;
    private final Path cacheDir;

    /**
     * For the running system.
     *
     * @param env environment variables: which driver, for the CUDA compiler, and what hides devices
     * @param cacheDir where compiled kernels are kept
     */
    public CudaProvider(Map<String, String> env, Path cacheDir) {
        this.env = Map.copyOf(env);
        this.cacheDir = cacheDir;
    }

    @Override
    public String backend() {
        return BACKEND;
    }

    @Override
    public List<Availability<Candidate>> discover() {
        return Discovery.ask(
                BACKEND,
                "CUDA driver",
                "Check that nvidia-smi answers; a GPU that hangs needs a reset (nvidia-smi --gpu-reset) or a reboot.",
                this::found);
    }

    private List<Availability<Candidate>> found() {
        try {
            return switch (CudaDriver.find(env)) {
                case Availability.Available<CudaDriver>(CudaDriver driver) -> devices(driver);
                case Availability.Unavailable<CudaDriver> none -> List.of(none.as());
            };
        } catch (CudaException | MissingCudaFunctionException e) {
            return List.of(unanswered(e));
        }
    }

    private List<Availability<Candidate>> devices(CudaDriver driver) {
        CudaVersion version = driver.version();
        if (version.compareTo(LEAST) < 0) {
            return List.of(Availability.missing(
                    driver.file() + " serves CUDA " + version + ", and " + LEAST + " is the least that will do",
                    "Update NVIDIA's driver (https://www.nvidia.com/drivers)."));
        }
        int count = driver.deviceCount();
        if (count == 0) {
            String hidden = env.get(VISIBLE);
            return List.of(Availability.missing(
                    driver.file() + " shows this process no GPU"
                            + (hidden == null ? "" : "; " + VISIBLE + " is '" + hidden + "'"),
                    hidden == null
                            ? "Check that nvidia-smi lists one, and that containers are started with --gpus all."
                            : "Unset " + VISIBLE + ", or name GPUs that nvidia-smi -L lists."));
        }
        List<Availability<Candidate>> all = new ArrayList<>();
        try (NvmlFacts settings = NvmlFacts.find(env)) {
            for (int i = 0; i < count; i++) {
                all.add(device(driver, i, settings));
            }
        }
        return all;
    }

    private Availability<Candidate> device(CudaDriver driver, int ordinal, NvmlFacts settings) {
        try {
            CudaDevice device = driver.device(ordinal);
            return Availability.of(new Found(ordinal, DeviceFacts.of(driver, device, settings, env)));
        } catch (CudaException | MissingCudaFunctionException e) {
            Availability.Unavailable<Candidate> why = unanswered(e);
            return Availability.missing(
                    DeviceFacts.id(ordinal) + ": " + why.reasons().getFirst(), why.remedy());
        }
    }

    private static Availability.Unavailable<Candidate> unanswered(RuntimeException e) {
        return new Availability.Unavailable<>(
                List.of(String.valueOf(e.getMessage())),
                "Check that nvidia-smi answers for every GPU, and read the kernel's log (dmesg) for NVRM and Xid.");
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
        public ClockLock lockClocks(int megahertz) {
            return NvmlClockLock.lock(info, megahertz, env);
        }

        @Override
        public Optional<Availability<ProfilerProgram>> profilerProgram() {
            return Optional.of(NsightCompute.find(env));
        }

        @Override
        public Device open() {
            CudaDriver driver = CudaDriver.find(env)
                    .orElseThrow(why -> new DeviceException(info.id() + " cannot be opened: " + why));
            try {
                return CudaGpu.open(driver, driver.device(ordinal), info, env, cacheDir);
            } catch (CudaException | MissingCudaFunctionException | UnsupportedException | BrokenDeviceException e) {
                throw new DeviceException(info.id() + " cannot be opened: " + e.getMessage(), e);
            }
        }
    }
}
