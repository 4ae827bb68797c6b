package dev.panamark.report;

import dev.panamark.finding.Explanation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What holds a kernel back, on a terminal. */
public final class ExplanationText {
    private static final String INDENT = "    ";
    private static final int LANES = 32;

    private ExplanationText() {}

    /**
     * Renders it.
     *
     * @param code what stands at a {@code file:line}
     * @param most conflicts to show; 0 for all
     * @param width columns of the terminal; taken as {@link ConsoleTable#NARROWEST} at least
     * @param color whether to use ANSI colours
     * @return lines that end with a line feed each
     */
    public static String render(
            Explanation explanation, Function<String, Optional<String>> code, int most, int width, boolean color) {
        int columns = Math.max(width, ConsoleTable.NARROWEST);
        StringBuilder out = new StringBuilder();
        out.append(Ansi.BOLD.paint("occupancy", color)).append('\n');
        for (Explanation.Residency launch : explanation.launches()) {
            put(out, "  ", residency(launch), columns);
            put(out, INDENT, room(launch), columns);
            put(out, INDENT, oneMore(launch), columns);
        }
        out.append('\n')
                .append(Ansi.BOLD.paint("bank conflicts of the last block of each launch", color))
                .append('\n');
        if (explanation.conflicts().isEmpty()) {
            out.append("  none\n");
        }
        List<Explanation.BankConflict> shown =
                most > 0 && most < explanation.conflicts().size()
                        ? explanation.conflicts().subList(0, most)
                        : explanation.conflicts();
        for (Explanation.BankConflict conflict : shown) {
            put(out, "  ", head(conflict), columns);
            code.apply(conflict.line())
                    .ifPresent(text -> out.append(INDENT)
                            .append(Ansi.DIM.paint(Text.cut(Text.line(text), columns - INDENT.length()), color))
                            .append('\n'));
            put(out, INDENT, banks(conflict), columns);
            put(out, INDENT, array(conflict), columns);
            remedies(conflict).forEach(text -> put(out, INDENT, text, columns));
        }
        int others = explanation.conflicts().size() - shown.size();
        if (others > 0) {
            out.append("  and ")
                    .append(others)
                    .append(others == 1 ? " line more" : " lines more")
                    .append(" (--lines)\n");
        }
        if (explanation.overlooked() > 0) {
            put(
                    out,
                    "  ",
                    Numbers.grouped(explanation.overlooked())
                            + " accesses were not looked at, because there are too many different ones",
                    columns);
        }
        return out.toString();
    }

    private static void put(StringBuilder out, String indent, String text, int columns) {
        Text.paragraph(out, indent, text, columns, null, false);
    }

    static String residency(Explanation.Residency launch) {
        long blocks = fitting(launch);
        return launch.entry() + ": " + blocks + (blocks == 1 ? " block" : " blocks") + " of " + launch.threads()
                + " threads on an SM, " + Numbers.percent(launch.share()) + " of its warps; limited by "
                + launch.limiter() + "; " + launch.note();
    }

    private static long fitting(Explanation.Residency launch) {
        return launch.blocks().values().stream().min(Long::compare).orElse(0L);
    }

    static String room(Explanation.Residency launch) {
        return "room for as many blocks: "
                + launch.blocks().entrySet().stream()
                        .map(e -> e.getKey() + " " + (e.getValue() == Long.MAX_VALUE ? "any" : e.getValue()))
                        .collect(Collectors.joining(", "));
    }

    static String oneMore(Explanation.Residency launch) {
        return launch.oneMore().isEmpty()
                ? "one more block cannot fit: an SM takes no more"
                : "one more block needs " + String.join("; and ", launch.oneMore());
    }

    static String head(Explanation.BankConflict conflict) {
        return Text.line(conflict.line()) + ": " + Numbers.grouped(conflict.excess()) + " excess wavefronts in "
                + Numbers.grouped(conflict.requests()) + (conflict.load() ? " load" : " store")
                + (conflict.requests() == 1 ? "" : "s") + " of "
                + conflict.bytes() + (conflict.bytes() == 1 ? " byte" : " bytes") + " a lane";
    }

    /** Banks that the same lanes want are named together. */
    static String banks(Explanation.BankConflict conflict) {
        Map<String, List<Integer>> alike = new LinkedHashMap<>();
        for (Explanation.Bank bank : conflict.banks()) {
            alike.computeIfAbsent(
                            "wanted by lanes " + numbers(bits(bank.lanes())) + " in " + bank.words()
                                    + " different words",
                            k -> new ArrayList<>())
                    .add(bank.bank());
        }
        String all = alike.entrySet().stream()
                .map(e -> (e.getValue().size() == 1 ? "bank " : "banks ")
                        + numbers(e.getValue())
                        + (e.getValue().size() == 1 ? " is " : " are each ")
                        + e.getKey())
                .collect(Collectors.joining("; "));
        return "at worst, " + all
                + (conflict.alike() == 0
                        ? ""
                        : "; and " + conflict.alike() + (conflict.alike() == 1 ? " bank alike" : " banks alike"));
    }

    private static List<Integer> bits(int mask) {
        return IntStream.range(0, LANES)
                .filter(lane -> (mask >>> lane & 1) != 0)
                .boxed()
                .toList();
    }

    /** Ranges and steps: {@code 0-7}, {@code 0, 4, ..., 28}. */
    static String numbers(List<Integer> all) {
        if (all.size() < 3) {
            return all.stream().map(String::valueOf).collect(Collectors.joining(" and "));
        }
        int step = all.get(1) - all.get(0);
        for (int i = 1; i < all.size(); i++) {
            if (all.get(i) - all.get(i - 1) != step) {
                return all.stream().map(String::valueOf).collect(Collectors.joining(", "));
            }
        }
        return step == 1
                ? all.getFirst() + "-" + all.getLast()
                : all.get(0) + ", " + all.get(1) + (all.size() > 3 ? ", \u2026, " : ", ") + all.getLast();
    }

    static String array(Explanation.BankConflict conflict) {
        return "the array takes bytes " + Numbers.grouped(conflict.first()) + " to " + Numbers.grouped(conflict.last())
                + " of shared memory"
                + (conflict.together().isEmpty()
                        ? ""
                        : "; it is accessed at " + Text.line(String.join(", ", conflict.together())) + " too");
    }

    static List<String> remedies(Explanation.BankConflict conflict) {
        List<String> out = new ArrayList<>();
        for (Explanation.Remedy remedy : conflict.remedies()) {
            String effect = ": " + Numbers.grouped(remedy.before()) + " \u2192 " + Numbers.grouped(remedy.after())
                    + " excess wavefronts in the array, counted again";
            out.add(
                    remedy.pad() > 0
                            ? "pad each row of " + remedy.rowBytes() + " bytes by " + remedy.pad() + " bytes" + effect
                            : "or XOR the number of each " + remedy.piece() + "-byte piece of a row of "
                                    + remedy.rowBytes() + " bytes with "
                                    + (remedy.repeat() == 1 ? "row" : "(row / " + remedy.repeat() + ")") + " % "
                                    + remedy.period() + effect);
        }
        if (out.isEmpty()) {
            out.add("neither padding of rows nor an XOR of their pieces was found that leaves fewer");
        }
        return out;
    }
}
