package dev.panamark.device;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A table as programs that count write it: lines of comma-separated values, of which some are in double quotes (RFC 4180,
 * without line breaks in values).
 *
 * @param names of the columns
 * @param lines below them
 */
public record ReportTable(List<String> names, List<List<String>> lines) {
    private static final Pattern CELL = Pattern.compile("\"((?:[^\"]|\"\")*)\"|([^,]*)");

    /** Copies the lists. */
    public ReportTable {
        names = List.copyOf(names);
        lines = List.copyOf(lines);
    }

    /** The values of a line. */
    public static List<String> cells(String line) {
        List<String> cells = new ArrayList<>();
        Matcher matcher = CELL.matcher(line);
        int at = 0;
        while (at <= line.length() && matcher.find(at)) {
            cells.add(matcher.group(1) != null ? matcher.group(1).replace("\"\"", "\"") : matcher.group(2));
            at = matcher.end() + 1; // behind the comma
        }
        return cells;
    }

    /** A value; empty where the line is too short or there is no such column. */
    public String cell(List<String> line, String name) {
        int column = names.indexOf(name);
        return column >= 0 && column < line.size() ? line.get(column) : "";
    }
}
