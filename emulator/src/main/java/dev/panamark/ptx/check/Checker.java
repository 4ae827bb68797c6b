package dev.panamark.ptx.check;

import dev.panamark.ptx.DeviceMemory;
import dev.panamark.ptx.KernelFault;
import dev.panamark.ptx.count.AccessPatterns;
import dev.panamark.ptx.count.Track;
import dev.panamark.ptx.ir.KernelCode;
import dev.panamark.ptx.ir.Site;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks for faults in launches on one memory. Bytes count as written until {@link #holdsNothing} says otherwise. Threads may
 * launch at the same time.
 */
public final class Checker implements AutoCloseable {
    private final Set<Check> checks;
    private final List<DeviceMemory> files = new ArrayList<>();

    /** Null where it does not matter what was written. */
    private final @Nullable GlobalShadow memory;

    /** What was found out about kernels that were launched. */
    private final IdentityHashMap<List<List<Track>>, LaunchChecks> launches = new IdentityHashMap<>();

    private final Findings findings = new Findings();
    private final Optional<AccessPatterns> patterns;

    /** Instructions of the kernels that were launched, by number from 1 on. */
    private final List<Instruction> instructions = new ArrayList<>();

    private record Instruction(String kernel, Site site) {}

    /**
     * An instruction that wrote something.
     *
     * @param line of the PTX text
     * @param source line of the program, {@code file:line}; empty where the text does not say
     */
    public record Writer(String kernel, int line, Optional<String> source) {}

    /** @param folder for files that are gone when the program ends */
    public Checker(DeviceMemory memory, Set<Check> checks, Path folder) {
        this(memory, checks, folder, Optional.empty());
    }

    /** @param patterns collects the accesses to shared memory of the last block of each launch */
    public Checker(DeviceMemory memory, Set<Check> checks, Path folder, Optional<AccessPatterns> patterns) {
        this.patterns = patterns;
        this.checks = checks.isEmpty() ? EnumSet.noneOf(Check.class) : EnumSet.copyOf(checks);
        if (!this.checks.contains(Check.INITIALISED)) {
            this.memory = null;
            return;
        }
        DeviceMemory states = DeviceMemory.create(memory.bytes(), folder);
        files.add(states);
        try {
            DeviceMemory writers = DeviceMemory.create(memory.bytes(), folder);
            files.add(writers);
            this.memory = new GlobalShadow(memory, states, writers);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Whether it looks for faults of that kind. */
    public boolean is(Check check) {
        return checks.contains(check);
    }

    /** Bytes were allocated, or hold what must not be read. */
    public void holdsNothing(long address, long bytes) {
        if (memory != null) {
            memory.mark(address, bytes, true);
        }
    }

    /** The host wrote bytes. */
    public void holdsData(long address, long bytes) {
        if (memory != null) {
            memory.mark(address, bytes, false);
        }
    }

    /** How many of these bytes nobody wrote; 0 where that does not matter. */
    public long unwritten(long address, long bytes) {
        long count = 0;
        for (long at = nextUnwritten(address, bytes); at >= 0; ) {
            count++;
            long next = nextUnwritten(address + at + 1, bytes - at - 1);
            at = next < 0 ? -1 : at + 1 + next;
        }
        return count;
    }

    /** The first of these bytes that nobody wrote, from their start; -1 where all were written. */
    public long nextUnwritten(long address, long bytes) {
        return memory == null ? -1 : memory.next(address, bytes);
    }

    /** The instruction that wrote an address last, if a kernel did since it held nothing. */
    public Optional<Writer> writer(long address) {
        int number = memory == null ? 0 : memory.writer(address);
        synchronized (instructions) {
            if (number < 1 || number > instructions.size()) {
                return Optional.empty();
            }
            Instruction found = instructions.get(number - 1);
            return Optional.of(new Writer(
                    found.kernel(),
                    found.site().at().line(),
                    Optional.ofNullable(found.site().source()).map(Object::toString)));
        }
    }

    /** A launch ended with a fault. */
    public void add(KernelFault fault) {
        switch (fault.kind()) {
            case OUT_OF_BOUNDS -> findings.add(fault, Check.MEMORY, "out-of-bounds");
            case MISALIGNED -> findings.add(fault, Check.MEMORY, "misaligned");
            case DEADLOCK -> findings.add(fault, Check.SYNC, "deadlock");
            case UNDEFINED -> findings.add(fault, Check.SYNC, "undefined");
            case TRAP -> findings.add(fault, Check.MEMORY, "trap");
            case BUDGET, DEADLINE ->
                throw new IllegalArgumentException("not a fault of the kernel: " + fault.getMessage(), fault);
        }
    }

    /**
     * What was found so far, in the order in which it was seen first. A read of shared memory that nobody had written yet is left
     * out where it raced with the write that it should have come after.
     */
    public List<Finding> findings() {
        List<Finding> all = findings.all();
        return all.stream()
                .filter(one -> !one.kind().equals(BlockChecker.UNWRITTEN)
                        || all.stream().noneMatch(race -> isAt(race, one)))
                .toList();
    }

    /** Whether a write came after the read of that line. */
    private static boolean isAt(Finding race, Finding read) {
        KernelFault.Place earlier = race.other();
        KernelFault.Place here = read.place();
        return race.check() == Check.RACE
                && earlier != null
                && here != null
                && earlier.line() == here.line()
                && earlier.kernel().equals(here.kernel());
    }

    Optional<AccessPatterns> patterns() {
        return patterns;
    }

    Findings found() {
        return findings;
    }

    @Nullable
    GlobalShadow memory() {
        return memory;
    }

    /** What launches of a kernel share; {@code tracks} by segment, as the code that runs notes them. */
    public LaunchChecks launch(KernelCode code, List<List<Track>> tracks) {
        synchronized (launches) {
            return launches.computeIfAbsent(tracks, k -> new LaunchChecks(this, code, tracks));
        }
    }

    /** The number of a kernel's first instruction. */
    int writers(KernelCode code) {
        synchronized (instructions) {
            int first = instructions.size() + 1;
            code.sites().forEach(site -> instructions.add(new Instruction(code.name(), site)));
            return first;
        }
    }

    @Override
    public void close() {
        files.forEach(DeviceMemory::close);
    }
}
