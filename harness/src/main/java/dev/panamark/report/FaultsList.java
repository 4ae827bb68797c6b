package dev.panamark.report;

import dev.panamark.finding.Check;
import dev.panamark.finding.Fault;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Faults of a kernel, one after the other, on a terminal. */
public final class FaultsList {
    private static final String INDENT = "    ";

    private FaultsList() {}

    /**
     * Renders them.
     *
     * @param checks what was looked for
     * @param most faults to show; 0 for all
     * @param width columns of the terminal; taken as {@link ConsoleTable#NARROWEST} at least
     * @param color whether to use ANSI colours
     * @return lines that end with a line feed each
     */
    public static String render(List<FaultView> faults, Collection<Check> checks, int most, int width, boolean color) {
        String looked = checks.stream().sorted().map(Check::tag).collect(Collectors.joining(", "));
        StringBuilder out = new StringBuilder();
        if (faults.isEmpty()) {
            return "  no faults found (looked for: " + looked + ")\n";
        }
        out.append("  ")
                .append(faults.size() == 1 ? "1 fault" : faults.size() + " faults")
                .append(" found (looked for: ")
                .append(looked)
                .append(")\n");
        int columns = Math.max(width, ConsoleTable.NARROWEST);
        List<FaultView> shown = most > 0 && most < faults.size() ? faults.subList(0, most) : faults;
        for (FaultView view : shown) {
            Fault fault = view.fault();
            String times = fault.count() == 1 ? "" : ", " + Numbers.grouped(fault.count()) + " times";
            out.append('\n')
                    .append(Ansi.RED.paint(fault.check().tag() + ": " + fault.kind(), color))
                    .append(times)
                    .append('\n');
            Text.paragraph(out, INDENT, fault.text(), columns, null, color);
            fault.at().ifPresent(at -> spot(out, "at ", at, view.code(), columns, color));
            fault.other().ifPresent(other -> spot(out, "after ", other, view.otherCode(), columns, color));
        }
        if (shown.size() < faults.size()) {
            out.append("\nand ").append(faults.size() - shown.size()).append(" more (--lines)\n");
        }
        return out.toString();
    }

    private static void spot(
            StringBuilder out, String word, Fault.Spot spot, Optional<String> code, int columns, boolean color) {
        String who = spot.block().map(b -> ", block " + b).orElse("")
                + spot.thread().map(t -> ", thread " + t).orElse("");
        Text.paragraph(out, INDENT, word + spot.line() + who, columns, null, color);
        code.ifPresent(text -> out.append(INDENT)
                .append(INDENT)
                .append(Ansi.DIM.paint(Text.cut(Text.line(text), columns - 2 * INDENT.length()), color))
                .append('\n'));
    }
}
