package dev.panamark.device.cuda;

import dev.panamark.device.ReportTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What {@code ncu --csv --page raw --print-units base} writes: its own lines, which begin with {@code ==}, and a table with a
 * line of names, a line of units and a line for each launch.
 *
 * @param launches that the table has
 * @param counters of all launches together; those that ncu does not tell are not in it
 * @param words what ncu says beside the table, in one line
 */
record NsightReport(int launches, Map<HardwareCounter, Double> counters, String words) {
    private static final String FIRST_NAME = "ID";

    NsightReport {
        counters = Map.copyOf(counters);
    }

    static NsightReport parse(String text) {
        List<List<String>> table = new ArrayList<>();
        List<String> words = new ArrayList<>();
        for (String line : text.lines().toList()) {
            List<String> cells = ReportTable.cells(line);
            if (!table.isEmpty() || cells.getFirst().equals(FIRST_NAME)) {
                if (!line.isBlank() && !line.startsWith("==")) {
                    table.add(cells);
                }
            } else if (line.startsWith("==ERROR==") || line.startsWith("==WARNING==")) {
                words.add(line.replaceFirst("^==(ERROR|WARNING)==\\s*", "").strip());
            }
        }
        List<List<String>> launches = table.size() > 2 ? table.subList(2, table.size()) : List.of();
        return new NsightReport(
                launches.size(),
                launches.isEmpty() ? Map.of() : counters(new ReportTable(table.getFirst(), launches)),
                String.join("; ", words));
    }

    private static Map<HardwareCounter, Double> counters(ReportTable launches) {
        double[] weights = column(launches, HardwareCounter.CYCLES_ACTIVE);
        Map<HardwareCounter, Double> counters = new EnumMap<>(HardwareCounter.class);
        for (HardwareCounter counter : HardwareCounter.values()) {
            double[] values = column(launches, counter);
            if (values.length == launches.lines().size()) {
                counters.put(
                        counter,
                        counter.isPercentage()
                                ? mean(values, weights)
                                : Arrays.stream(values).sum());
            }
        }
        return counters;
    }

    private static double mean(double[] values, double[] weights) {
        if (values.length == 1) {
            return values[0];
        }
        double sum = 0;
        double all = 0;
        for (int i = 0; i < Math.min(values.length, weights.length); i++) {
            sum += weights[i] * values[i];
            all += weights[i];
        }
        return sum / all;
    }

    /** Its numbers; fewer than launches where one of them is none. */
    private static double[] column(ReportTable launches, HardwareCounter counter) {
        return launches.lines().stream()
                .map(line -> launches.cell(line, counter.metric()))
                .filter(cell -> cell.matches("[0-9][0-9,]*([.][0-9]+)?([eE][+-]?[0-9]+)?"))
                .mapToDouble(cell -> Double.parseDouble(cell.replace(",", "")))
                .toArray();
    }
}
