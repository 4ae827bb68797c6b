package dev.panamark.report;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Devices as a list on a terminal: a line with id, name and status, facts below. */
public final class DevicesTable {
    private static final String GAP = "  ";
    private static final String INDENT = "    ";

    private DevicesTable() {}

    /**
     * Renders them.
     *
     * @param devices in the order to show
     * @param width columns of the terminal; taken as {@link ConsoleTable#NARROWEST} to {@link ConsoleTable#WIDEST}
     * @param color whether to use ANSI colours
     * @return lines that end with a line feed each
     */
    public static String render(List<DeviceView> devices, int width, boolean color) {
        int columns = Math.clamp(width, ConsoleTable.NARROWEST, ConsoleTable.WIDEST);
        if (devices.isEmpty()) {
            return "No devices.\n";
        }
        int ids = Math.min(
                columns / 3,
                devices.stream()
                        .mapToInt(d -> Text.width(Text.line(d.id())))
                        .max()
                        .orElse(0));
        StringBuilder out = new StringBuilder();
        for (DeviceView device : devices) {
            String id = Text.line(device.id());
            String name = Text.line(device.name());
            String status = Text.line(device.status());
            String line = name.isEmpty() ? status : name + ": " + status;
            if (Text.width(id) > ids) {
                for (String part : Text.wrap(id, columns)) {
                    out.append(part).append('\n');
                }
                id = "";
            }
            Ansi paint = status.equals("available") ? Ansi.GREEN : Ansi.YELLOW;
            String margin = Ansi.BOLD.paint(id, color) + " ".repeat(ids - Text.width(id) + GAP.length());
            for (String part : Text.wrap(line, columns - ids - GAP.length())) {
                out.append(margin).append(paint.paint(part, color)).append('\n');
                margin = " ".repeat(ids + GAP.length());
            }
            if (!device.facts().isEmpty()) {
                String facts = device.facts().entrySet().stream()
                        .map(DevicesTable::fact)
                        .collect(Collectors.joining(" \u00b7 "));
                for (String part : Text.wrap(facts, columns - INDENT.length())) {
                    out.append(INDENT).append(Ansi.DIM.paint(part, color)).append('\n');
                }
            }
        }
        return out.toString();
    }

    private static String fact(Map.Entry<String, String> fact) {
        return Text.line(fact.getKey()) + " " + Text.line(fact.getValue());
    }
}
