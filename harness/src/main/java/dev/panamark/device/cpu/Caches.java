package dev.panamark.device.cpu;

import dev.panamark.device.TextFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** The data caches, from {@code /sys/devices/system/cpu/cpuN/cache}. */
final class Caches {

    /**
     * One cache.
     *
     * @param level 1 is nearest to the core
     * @param type {@code Data}, {@code Instruction} or {@code Unified}
     * @param bytes of one instance
     * @param shared processors that share an instance
     */
    record Cache(int level, String type, long bytes, BitSet shared) {
        boolean holdsData() {
            return !type.equals("Instruction");
        }
    }

    private Caches() {}

    /** All caches of one processor, nearest first. */
    static List<Cache> of(Path cpus, int cpu) {
        Path folder = cpus.resolve("cpu" + cpu).resolve("cache");
        List<Cache> found = new ArrayList<>();
        for (String name : TextFiles.names(folder, "index\\d+")) {
            Path index = folder.resolve(name);
            OptionalLong level = TextFiles.number(index.resolve("level"));
            Optional<String> type = TextFiles.word(index.resolve("type"));
            OptionalLong bytes =
                    TextFiles.word(index.resolve("size")).map(Caches::size).orElse(OptionalLong.empty());
            Optional<BitSet> shared =
                    TextFiles.word(index.resolve("shared_cpu_list")).flatMap(CpuList::parse);
            if (level.isPresent() && type.isPresent() && bytes.isPresent() && shared.isPresent()) {
                found.add(new Cache((int) level.getAsLong(), type.get(), bytes.getAsLong(), shared.get()));
            }
        }
        found.sort(Comparator.comparingInt(Cache::level).thenComparing(Cache::type));
        return found;
    }

    /**
     * Bytes of all last-level caches that these processors reach: a processor with several dies has several.
     *
     * @return empty when one of them cannot be read
     */
    static OptionalLong lastLevel(Path cpus, BitSet processors) {
        long sum = 0;
        BitSet covered = new BitSet();
        for (int cpu = processors.nextSetBit(0); cpu >= 0; cpu = processors.nextSetBit(cpu + 1)) {
            if (covered.get(cpu)) {
                continue;
            }
            List<Cache> data = of(cpus, cpu).stream().filter(Cache::holdsData).toList();
            if (data.isEmpty()) {
                return OptionalLong.empty();
            }
            sum += data.getLast().bytes();
            covered.or(data.getLast().shared());
            covered.set(cpu);
        }
        return sum == 0 ? OptionalLong.empty() : OptionalLong.of(sum);
    }

    /** {@code 48K}, {@code 32M} or plain bytes. */
    static OptionalLong size(String text) {
        String digits = text.strip().toUpperCase(Locale.ROOT);
        long unit =
                digits.endsWith("K") ? 1L << 10 : digits.endsWith("M") ? 1L << 20 : digits.endsWith("G") ? 1L << 30 : 1;
        OptionalLong number = TextFiles.parse(unit == 1 ? digits : digits.substring(0, digits.length() - 1));
        return number.isPresent() && number.getAsLong() > 0
                ? OptionalLong.of(number.getAsLong() * unit)
                : OptionalLong.empty();
    }
}
