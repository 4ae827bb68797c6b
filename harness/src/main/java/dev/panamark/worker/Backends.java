package dev.panamark.worker;

import dev.panamark.device.Device;
import dev.panamark.device.DeviceException;
import dev.panamark.device.DeviceProvider;
import dev.panamark.device.MeterProvider;
import dev.panamark.device.amdgpu.AmdgpuProvider;
import dev.panamark.device.cpu.CpuProvider;
import dev.panamark.device.cpu.HostRoots;
import dev.panamark.device.cpu.RaplProvider;
import dev.panamark.device.cuda.CudaProvider;
import dev.panamark.device.emulated.EmulatedProvider;
import dev.panamark.device.hip.HipProvider;
import dev.panamark.device.nvml.NvmlProvider;
import dev.panamark.ffi.Availability;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The backends of this build; the one place that names them. */
public final class Backends {
    private Backends() {}

    /** A provider for each, in the order in which devices are listed. */
    public static List<DeviceProvider> all(Map<String, String> env, Path cache) {
        return List.of(
                new CpuProvider(env, cache),
                new CudaProvider(env, cache),
                new HipProvider(env, cache, sys(env)),
                new EmulatedProvider(env, cache));
    }

    /** {@code PANAMARK_SYS} names a folder to look into instead of {@code /sys}. */
    private static Path sys(Map<String, String> env) {
        String other = env.getOrDefault("PANAMARK_SYS", "");
        return other.isBlank() ? HostRoots.system().sys() : Path.of(other);
    }

    /**
     * What can meter energy on this machine.
     *
     * @param env {@code PANAMARK_SYS} names a folder to look into instead of {@code /sys}, {@code PANAMARK_NVML} and
     *     {@code PANAMARK_ROCM_SMI} libraries
     */
    public static List<MeterProvider> meters(Map<String, String> env) {
        HostRoots system = HostRoots.system();
        Path sys = sys(env);
        return List.of(
                new RaplProvider(new HostRoots(system.proc(), sys, system.etc())),
                new NvmlProvider(env),
                new AmdgpuProvider(env, sys));
    }

    /**
     * Opens the device of this id.
     *
     * @throws DeviceException when it is not there, with every reason
     */
    static Device open(String id, Map<String, String> env, Path cache) {
        List<String> reasons = new ArrayList<>();
        for (DeviceProvider provider : all(env, cache)) {
            for (Availability<DeviceProvider.Candidate> found : provider.discover()) {
                switch (found) {
                    case Availability.Available<DeviceProvider.Candidate>(DeviceProvider.Candidate c) -> {
                        if (c.info().id().equals(id)) {
                            return c.open();
                        }
                    }
                    case Availability.Unavailable<DeviceProvider.Candidate> none ->
                        reasons.add(provider.backend() + ": " + none.text());
                }
            }
        }
        throw new DeviceException("no device " + id + (reasons.isEmpty() ? "" : ": " + String.join("; ", reasons)));
    }
}
