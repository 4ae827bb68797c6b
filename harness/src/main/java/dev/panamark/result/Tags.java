package dev.panamark.result;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Every metric that Panamark itself writes, in the order in which tables show them. */
public final class Tags {
    private Tags() {}

    private static final Map<String, Tag> KNOWN = new LinkedHashMap<>();
    private static final Pattern PATH = Pattern.compile("[a-z0-9][a-z0-9_]*(/[a-z0-9][a-z0-9_]*)+");

    /** Tags under this prefix are stall reasons, whatever the counter library calls them. */
    public static final String STALL_PREFIX = "stall/";

    /** Median time of one launch. */
    public static final Tag TIME_MEDIAN = tag(
            "time/device/median",
            "s",
            "Median time of one launch by the device's own clock, with a 95 % interval from decorrelated batches;"
                    + " launch costs that the clock sees are in it.");
    /** Half of the launches took no longer. */
    public static final Tag TIME_P50 = tag(
            "time/device/p50",
            "s",
            "The time that half of the launches did not exceed; measured only where a sample is one launch.");
    /** 90 % of the launches took no longer. */
    public static final Tag TIME_P90 = tag(
            "time/device/p90",
            "s",
            "The time that 90 % of the launches did not exceed; needs 36 samples of one launch each.");
    /** 99 % of the launches took no longer. */
    public static final Tag TIME_P99 = tag(
            "time/device/p99",
            "s",
            "The time that 99 % of the launches did not exceed; needs 368 samples of one launch each.");
    /** The slowest launch. */
    public static final Tag TIME_MAX =
            tag("time/device/max", "s", "The slowest launch seen; measured only where a sample is one launch.");
    /** Mean time of one launch. */
    public static final Tag TIME_MEAN =
            tag("time/device/mean", "s", "Mean time of one launch by the device's own clock.");
    /** Spread of the samples. */
    public static final Tag TIME_STDEV = tag(
            "time/device/stdev",
            "s",
            "Standard deviation of the samples; where a sample holds several launches it is that of their means.");
    /** Relative spread of the samples. */
    public static final Tag TIME_NOISE = tag(
            "time/noise",
            "ratio",
            "Standard deviation of the samples over their mean, computed; what --max-noise compares with.");
    /** An empty kernel with the same grid. */
    public static final Tag TIME_FLOOR = tag(
            "time/floor",
            "s",
            "Time of an empty kernel with the same grid, measured the same way; it is never subtracted.");
    /** The launch-free time. */
    public static final Tag TIME_LAUNCH = tag(
            "time/launch",
            "s",
            "Time of one launch without launch costs, computed as (T(2k) - T(k)) / k from samples of k and 2k"
                    + " launches.");
    /** Lower bound from counts. */
    public static final Tag TIME_BOUND = tag(
            "time/bound",
            "s",
            "Lower bound on the time of one launch, computed from counted work and the device's rates per cycle at"
                    + " its highest clock; the note names the limiting unit.");
    /** Useful operations per second. */
    public static final Tag RATE_FLOPS = tag(
            "rate/flops",
            "FLOP/s",
            "Floating-point operations that the problem needs (the kernel file's formula) over the median time,"
                    + " computed.");
    /** Share of the datasheet's peak. */
    public static final Tag UTIL_PEAK = tag(
            "util/peak",
            "ratio",
            "rate/flops over the peak that the datasheet gives this device for the unit and type used, computed.");
    /** Share of the measured ceiling. */
    public static final Tag UTIL_CEILING = tag(
            "util/ceiling",
            "ratio",
            "Rate over the ceiling measured on this device in this run or a stored one (for bytes with the same"
                    + " read:write mix), computed; the row's denominators name the ceiling.");
    /** Useful bytes per second. */
    public static final Tag RATE_BYTES = tag(
            "rate/bytes",
            "B/s",
            "Bytes that must be read and written (the kernel file's formula, each byte once) over the median time,"
                    + " computed.");
    /** Share of the peak bandwidth. */
    public static final Tag UTIL_BANDWIDTH = tag(
            "util/bandwidth",
            "ratio",
            "rate/bytes over the device's peak memory bandwidth, computed; only where the data cannot fit the caches.");
    /** Tokens through this kernel. */
    public static final Tag RATE_LAYER_TOKENS = tag(
            "rate/layer_tokens",
            "tokens/s",
            "Tokens of one launch over the median time, computed: tokens per second of this one layer's kernel.");
    /** Tokens through all layers' kernels. */
    public static final Tag RATE_TOKENS = tag(
            "rate/tokens",
            "tokens/s",
            "rate/layer_tokens divided by the model's layers, computed; the note says what is left out of the model.");
    /** Occupancy that resources allow. */
    public static final Tag OCCUPANCY_THEORETICAL = tag(
            "occupancy/theoretical",
            "ratio",
            "Resident warps that registers, shared memory and block size allow, over the most an SM or CU holds,"
                    + " computed.");
    /** Occupancy that was seen. */
    public static final Tag OCCUPANCY_ACHIEVED = tag(
            "occupancy/achieved", "ratio", "Mean resident warps over the most an SM or CU holds, read from counters.");
    /** Accesses to shared memory. */
    public static final Tag SHARED_REQUESTS = tag(
            "shared/requests",
            "requests",
            "Accesses of warps to shared memory in one launch, from counters of instructions or counted by the emulator.");
    /** Shared-memory wavefronts. */
    public static final Tag SHARED_WAVEFRONTS = tag(
            "shared/wavefronts",
            "wavefronts",
            "Passes that shared-memory requests of one launch took, from counters or counted by the emulator.");
    /** Wavefronts without conflicts. */
    public static final Tag SHARED_IDEAL = tag(
            "shared/ideal",
            "wavefronts",
            "Passes that the same requests would take without bank conflicts, from counters or counted by the"
                    + " emulator.");
    /** Excess wavefronts. */
    public static final Tag SHARED_CONFLICTS = tag(
            "shared/conflicts",
            "wavefronts",
            "shared/wavefronts less shared/ideal: passes that bank conflicts added to one launch.");
    /** Wavefronts that instructions asked for. */
    public static final Tag SHARED_INSTRUCTION_WAVEFRONTS = tag(
            "shared/instruction_wavefronts",
            "wavefronts",
            "Passes that the addresses of shared-memory instructions need, from counters of instructions: without what"
                    + " arbitration adds to shared/wavefronts.");
    /** Share of cycles in conflicts. */
    public static final Tag SHARED_CONFLICT_CYCLES_SHARE = tag(
            "shared/conflict_cycles_share",
            "ratio",
            "Cycles lost to bank conflicts, from counters: on NVIDIA l1tex bank-conflict cycles over elapsed SM cycles,"
                    + " on AMD SQ_LDS_BANK_CONFLICT over active cycles times CUs.");
    /** Stalls on shared memory and special functions. */
    public static final Tag STALL_SHORT_SCOREBOARD = tag(
            "stall/short_scoreboard",
            "ratio",
            "Share of warp stalls that waited for shared memory or special functions, from counters or sampling.");
    /** Stalls on a full memory queue. */
    public static final Tag STALL_MIO_THROTTLE = tag(
            "stall/mio_throttle",
            "ratio",
            "Share of warp stalls that waited for room in the memory input/output queue, from counters or sampling.");
    /** Sectors per request. */
    public static final Tag GLOBAL_SECTORS_PER_REQUEST = tag(
            "global/sectors_per_request",
            "sectors",
            "32-byte sectors that one global-memory request touches on average, from counters or counted by the"
                    + " emulator.");
    /** L2 hit rate. */
    public static final Tag L2_HIT_RATE = tag(
            "l2/hit_rate", "ratio", "Share of L2 lookups that hit, from counters; shows whether a cold run was cold.");
    /** Bytes that memory gave. */
    public static final Tag DRAM_READ =
            tag("dram/read", "B", "Bytes that one launch read from the device's memory, from counters.");
    /** Bytes that memory took. */
    public static final Tag DRAM_WRITTEN =
            tag("dram/written", "B", "Bytes that one launch wrote to the device's memory, from counters.");
    /** Share of cycles in which tensor cores worked. */
    public static final Tag TENSOR_ACTIVE = tag(
            "tensor/active",
            "ratio",
            "Cycles in which the tensor cores (on AMD the matrix cores) worked over those in which SMs or CUs did, from"
                    + " counters.");
    /** Operations that ran. */
    public static final Tag EXECUTED_FLOPS = tag(
            "executed/flops",
            "FLOP",
            "Floating-point operations that one launch really executed, from counters or counted by the emulator.");
    /** Instructions that ran. */
    public static final Tag EXECUTED_INSTRUCTIONS = tag(
            "executed/instructions",
            "instructions",
            "Instructions that the threads of one launch executed, from counters or counted by the emulator.");
    /** Mean power. */
    public static final Tag POWER_AVERAGE = tag(
            "power/average",
            "W",
            "Energy of the measuring window over its length, from the meter that the details name.");
    /** Energy of a launch, idle share included. */
    public static final Tag ENERGY_GROSS = tag(
            "energy/gross",
            "J",
            "Energy of the measuring window over the launches in it, idle share included; the details give window,"
                    + " update period, method and scope.");
    /** Idle energy over the same time. */
    public static final Tag ENERGY_IDLE = tag(
            "energy/idle",
            "J",
            "Energy that the idle device takes in the time of one launch, from an idle window of the same run.");
    /** Energy of a launch above idle. */
    public static final Tag ENERGY_NET =
            tag("energy/net", "J", "energy/gross less energy/idle, computed: what the launch itself added.");
    /** Tokens for a joule, idle share included. */
    public static final Tag TOKENS_PER_JOULE_GROSS =
            tag("tokens_per_joule/gross", "tokens/J", "Tokens of one launch over energy/gross, computed.");
    /** Tokens for a joule above idle. */
    public static final Tag TOKENS_PER_JOULE_NET =
            tag("tokens_per_joule/net", "tokens/J", "Tokens of one launch over energy/net, computed.");
    /** Clock while measuring. */
    public static final Tag CLOCK_SM = tag(
            "clock/sm",
            "Hz",
            "Mean clock of the SMs or CUs at the ends of the turns in which the row was sampled, read by a kernel of one"
                    + " warp.");
    /** Reasons for lower clocks. */
    public static final Tag THROTTLE_REASONS = tag(
            "throttle/reasons",
            "count",
            "How many reasons for lowered clocks the driver gave between the row's samples, idleness and chosen clocks left"
                    + " out; the note names them.");
    /** Device memory at its highest. */
    public static final Tag MEMORY_PEAK = tag(
            "memory/peak",
            "B",
            "Bytes of device memory that the row's buffers took at their highest, counted as they were allocated.");
    /** Unused share of KV pages. */
    public static final Tag KV_FRAGMENTATION = tag(
            "kv/fragmentation",
            "ratio",
            "Token slots of the sequences' pages that hold no token, over all slots of these pages, computed from"
                    + " lengths and page size.");
    /** Largest difference. */
    public static final Tag ERROR_MAX_ABS = tag(
            "error/max_abs",
            "output",
            "Largest absolute difference from the double-precision reference over the elements compared, in the"
                    + " output's own unit.");
    /** Angle to the reference. */
    public static final Tag ERROR_COSINE = tag(
            "error/cosine",
            "ratio",
            "One minus the cosine between output and double-precision reference over the elements compared.");
    /** Divergence from the reference. */
    public static final Tag ERROR_KL = tag(
            "error/kl",
            "nat",
            "Kullback-Leibler divergence of the softmax of the output from that of the double-precision reference.");

    private static final List<Tag> ALL = List.copyOf(KNOWN.values());

    private static Tag tag(String path, String unit, String meaning) {
        Tag tag = new Tag(path, unit, meaning);
        KNOWN.put(path, tag);
        return tag;
    }

    /** All of them, in the order of tables. */
    public static List<Tag> all() {
        return ALL;
    }

    /** The tag of this path; a stall reason is made on the fly; empty for a path that this version does not know. */
    public static Optional<Tag> of(String path) {
        Tag tag = KNOWN.get(path);
        if (tag == null && path.startsWith(STALL_PREFIX) && path.length() > STALL_PREFIX.length()) {
            String reason = path.substring(STALL_PREFIX.length()).replace('_', ' ');
            tag = new Tag(
                    path,
                    "ratio",
                    "Share of warp stalls with the reason \"" + reason + "\", from counters or sampling.");
        }
        return Optional.ofNullable(tag);
    }

    /** Paths in the order of tables: the known ones as in {@link #all}, then the others by name. */
    public static List<String> ordered(Collection<String> paths) {
        List<String> known = new ArrayList<>(KNOWN.keySet());
        known.retainAll(Set.copyOf(paths));
        List<String> others = new ArrayList<>(Set.copyOf(paths));
        others.removeAll(KNOWN.keySet());
        Collections.sort(others);
        known.addAll(others);
        return List.copyOf(known);
    }

    /** Refuses a path that is not one, and a known path with another unit. */
    static void requireUnit(String path, Metric metric) {
        Tag known = KNOWN.get(path);
        if (known == null) {
            if (!PATH.matcher(path).matches()) {
                throw new IllegalArgumentException("metrics: '" + path
                        + "' is no tag; tags are lower-case words joined by slashes, such as time/device/median");
            }
            known = of(path).orElse(null);
        }
        if (known != null && !known.unit().equals(metric.unit())) {
            throw new IllegalArgumentException(
                    "metrics." + path + ": unit must be '" + known.unit() + "', not '" + metric.unit() + "'");
        }
    }
}
