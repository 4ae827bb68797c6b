package dev.panamark.device.hip;

import dev.panamark.device.ProfilerProgram.Launches;
import dev.panamark.device.ReportTable;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SequencedMap;

/**
 * What {@code rocprofv3 --output-format csv} writes of counters: a line for each dispatch and counter.
 *
 * @param launches dispatches of the kernels that were asked for
 * @param counters of those that were to be counted, together; those that are not in the table are not in it
 */
record RocprofReport(int launches, Map<RocprofCounter, Double> counters) {
    RocprofReport {
        counters = Map.copyOf(counters);
    }

    /** One launch: how long it took, and what each counter showed. */
    private record Dispatch(double nanos, Map<String, Double> values) {}

    static RocprofReport parse(String text, Launches launches) {
        List<List<String>> lines = text.lines()
                .filter(line -> !line.isBlank())
                .map(ReportTable::cells)
                .toList();
        if (lines.isEmpty()) {
            return new RocprofReport(0, Map.of());
        }
        ReportTable table = new ReportTable(lines.getFirst(), lines.subList(1, lines.size()));
        List<Dispatch> all = dispatches(table, launches.entries());
        List<Dispatch> counted = all.size() < launches.skip() ? List.of() : all.subList(launches.skip(), all.size());
        Map<RocprofCounter, Double> counters = new EnumMap<>(RocprofCounter.class);
        for (RocprofCounter counter : RocprofCounter.values()) {
            boolean everywhere = counted.stream().allMatch(d -> d.values().containsKey(counter.metric()));
            if (everywhere && !counted.isEmpty()) {
                counters.put(counter, together(counted, counter));
            }
        }
        return new RocprofReport(counted.size(), counters);
    }

    private static double together(List<Dispatch> launches, RocprofCounter counter) {
        double sum = 0;
        double nanos = 0;
        for (Dispatch launch : launches) {
            double value = launch.values().getOrDefault(counter.metric(), Double.NaN);
            sum += counter.isPercentage() ? value * launch.nanos() : value;
            nanos += launch.nanos();
        }
        return counter.isPercentage() ? sum / nanos : sum;
    }

    /** In the order in which they were dispatched. */
    private static List<Dispatch> dispatches(ReportTable table, List<String> entries) {
        SequencedMap<Long, Dispatch> byId = new LinkedHashMap<>();
        for (List<String> line : table.lines()) {
            OptionalLong id = number(table.cell(line, "Dispatch_Id"));
            OptionalLong from = number(table.cell(line, "Start_Timestamp"));
            OptionalLong to = number(table.cell(line, "End_Timestamp"));
            String value = table.cell(line, "Counter_Value");
            if (id.isPresent() && entries.contains(name(table.cell(line, "Kernel_Name"))) && isReal(value)) {
                byId.computeIfAbsent(
                                id.getAsLong(),
                                _ -> new Dispatch(to.orElse(0) - (double) from.orElse(0), new LinkedHashMap<>()))
                        .values()
                        .merge(table.cell(line, "Counter_Name"), Double.parseDouble(value), Double::sum);
            }
        }
        return byId.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(Map.Entry::getValue)
                .toList();
    }

    /** Some releases write {@code name.kd}, the name of the descriptor. */
    private static String name(String kernel) {
        return kernel.endsWith(".kd") ? kernel.substring(0, kernel.length() - 3) : kernel;
    }

    private static OptionalLong number(String cell) {
        return cell.matches("[0-9]{1,18}") ? OptionalLong.of(Long.parseLong(cell)) : OptionalLong.empty();
    }

    private static boolean isReal(String cell) {
        return cell.matches("[0-9]+([.][0-9]*)?([eE][+-]?[0-9]+)?");
    }
}
