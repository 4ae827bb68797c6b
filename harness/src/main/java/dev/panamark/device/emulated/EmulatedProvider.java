package dev.panamark.device.emulated;

import dev.panamark.device.Device;
import dev.panamark.device.DeviceInfo;
import dev.panamark.device.DeviceProvider;
import dev.panamark.device.profile.DeviceProfile;
import dev.panamark.device.profile.DeviceProfiles;
import dev.panamark.device.profile.Figure;
import dev.panamark.ffi.Availability;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** Emulated NVIDIA GPUs, one for each profile whose limits are known: {@code emu:h100-sxm}. They are always there. */
public final class EmulatedProvider implements DeviceProvider {
    private static final String BACKEND = "emu";

    /** What ids of emulated devices begin with. */
    public static final String PREFIX = BACKEND + ":";

    /** The one that is meant where nobody names one. */
    private static final String USUAL = "h100-sxm";

    private static final int LEAST_CC = 80;

    private final Map<String, String> env;
    private final Path cacheDir;

    /**
     * For the running system.
     *
     * @param env environment variables, for the CUDA compiler
     * @param cacheDir where compiled kernels are kept
     */
    public EmulatedProvider(Map<String, String> env, Path cacheDir) {
        this.env = Map.copyOf(env);
        this.cacheDir = cacheDir;
    }

    @Override
    public String backend() {
        return BACKEND;
    }

    @Override
    public List<Availability<Candidate>> discover() {
        List<Availability<Candidate>> out = new ArrayList<>();
        for (DeviceProfile profile : DeviceProfiles.shipped().all()) {
            if (profile.architecture().vendor().equals("NVIDIA") && computeCapability(profile) >= LEAST_CC) {
                Limits limits = Limits.of(profile);
                if (limits.isKnown() && profile.units().value() != null) {
                    out.add(Availability.of(new Found(profile, limits)));
                }
            }
        }
        return out;
    }

    /** {@code sm_90a} is 90. */
    static int computeCapability(DeviceProfile profile) {
        String digits = profile.architecture().target().replaceAll("[^0-9]", "");
        return digits.isEmpty() ? 0 : Integer.parseInt(digits);
    }

    private final class Found implements Candidate {
        private final DeviceProfile profile;
        private final Limits limits;

        Found(DeviceProfile profile, Limits limits) {
            this.profile = profile;
            this.limits = limits;
        }

        @Override
        public boolean isEmulated() {
            return true;
        }

        @Override
        public boolean isUsual() {
            return profile.name().equals(USUAL);
        }

        @Override
        public DeviceInfo info() {
            SequencedMap<String, Number> values = new LinkedHashMap<>();
            put(values, "units", profile.units());
            values.put("warp", (long) limits.warpWidth());
            values.put("cc", computeCapability(profile));
            values.put("shared_block", (long) limits.sharedPerBlock());
            values.put("memory", EmulatedDevice.MEMORY);
            put(values, "llc", profile.l2());
            SequencedMap<String, Object> facts = new LinkedHashMap<>();
            facts.put("emulated", true);
            facts.put("profile", profile.name());
            facts.put("target", profile.architecture().target());
            return new DeviceInfo(
                    PREFIX + profile.name(),
                    BACKEND,
                    profile.product() + ", emulated",
                    "emu-" + profile.name(),
                    values,
                    facts);
        }

        private static void put(SequencedMap<String, Number> values, String name, Figure figure) {
            Double value = figure.value();
            if (value != null) {
                values.put(name, Math.round(value));
            }
        }

        @Override
        public Device open() {
            return new EmulatedDevice(info(), profile, limits, env, cacheDir);
        }
    }
}
