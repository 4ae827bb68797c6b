package dev.panamark.device.emulated;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.panamark.device.Counted;
import dev.panamark.device.profile.DeviceProfiles;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Expected values by hand from the limits of the tuning guides: 64 warps, 32 blocks, 65,536 registers an SM. */
class OccupancyRulesTest {
    private static Counted.Occupancy occupancy(String profile, long threads, int registers, long shared) {
        Limits limits = Limits.of(DeviceProfiles.shipped().named(profile).orElseThrow());
        return new OccupancyRules(limits).of(threads, registers, shared, "");
    }

    @ParameterizedTest
    @CsvSource({
        // 8 blocks of 8 warps fill the SM.
        "h100-sxm, 256, 32, 0, 1, warps",
        // One warp a block: the limit of 32 blocks comes first.
        "h100-sxm, 32, 16, 0, 0.5, blocks",
        // 127 registers are 4,064 a warp, in granules 4,096; 16,384 of a quarter hold 4 warps, so 16 in all.
        "h100-sxm, 128, 127, 0, 0.25, registers",
        // 129 registers: 4,128, in granules 4,352; 3 warps a quarter, 12 in all, 3 blocks of 4.
        "h100-sxm, 128, 129, 0, 0.1875, registers",
        // 228 KiB over (16 KiB + 1 KiB) are 13 blocks of 4 warps; 96 registers would allow 20 warps, 5 blocks.
        "h100-sxm, 128, 32, 16384, 0.8125, shared memory",
        // 164 KiB over 17 KiB are 9 blocks.
        "a100-sxm-80, 128, 32, 16384, 0.5625, shared memory",
        // 33 threads are 2 warps.
        "h100-sxm, 33, 32, 0, 1, warps"
    })
    void residentWarps(String profile, long threads, int registers, long shared, double share, String limiter) {
        Counted.Occupancy occupancy = occupancy(profile, threads, registers, shared);
        assertEquals(share, occupancy.share(), 1e-12);
        assertEquals(limiter, occupancy.limiter());
    }
}
