package dev.panamark.benchmark.scale;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.panamark.compare.ComparedRun;
import dev.panamark.compare.Comparer;
import dev.panamark.compare.Comparison;
import dev.panamark.report.ComparisonTable;
import dev.panamark.report.ConsoleTable;
import dev.panamark.result.Tags;
import dev.panamark.stats.MedianInterval;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code benchmarks/scale}: what a large result costs. */
@Command(
        name = "scale",
        subcommands = {Scale.Write.class, Scale.Measure.class},
        description = "Writes two large results, and measures how long they take to be read, shown and compared.")
final class Scale {
    private static final double MOST_SECONDS = 10;
    private static final int WIDTH = 120;

    private Scale() {}

    /** Exits with 0, with 1 when the claim is missed, or with 2 when the command line is wrong. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Scale()).execute(args));
    }

    /** The two files. */
    private static final class TwoFiles {
        @Parameters(index = "0", paramLabel = "BASE", description = "A file.")
        @SuppressWarnings("NullAway.Init") // picocli demands it
        Path base;

        @Parameters(index = "1", paramLabel = "NEW", description = "Another file.")
        @SuppressWarnings("NullAway.Init") // picocli demands it
        Path next;
    }

    @Command(name = "write", description = "Writes the two results.")
    static final class Write implements Callable<Integer> {
        @CommandLine.Mixin
        private TwoFiles files = new TwoFiles();

        @Option(names = "--rows", defaultValue = "50000", description = "Rows of each (default: ${DEFAULT-VALUE}).")
        private int rows;

        @Option(
                names = "--invocations",
                defaultValue = "5",
                description = "Of each problem; 1 makes no aggregates (default: ${DEFAULT-VALUE}).")
        private int invocations;

        @Option(names = "--samples", defaultValue = "100", description = "Of a row (default: ${DEFAULT-VALUE}).")
        private int samples;

        @CommandLine.Spec
        @SuppressWarnings("NullAway.Init") // set by picocli
        private CommandLine.Model.CommandSpec spec;

        @Override
        public Integer call() throws IOException {
            if (rows < 1 || invocations < 1 || samples < MedianInterval.LEAST) {
                throw new CommandLine.ParameterException(
                        spec.commandLine(),
                        "--rows and --invocations must be at least 1, --samples at least " + MedianInterval.LEAST);
            }
            RowSource source = new RowSource(invocations, samples);
            LargeResult.write(files.base, source, rows, 1);
            LargeResult.write(files.next, source, rows, 2);
            return 0;
        }
    }

    @Command(name = "measure", description = "Reads, shows and compares them, each row once.")
    static final class Measure implements Callable<Integer> {
        @CommandLine.Mixin
        private TwoFiles files = new TwoFiles();

        private final PrintStream out = System.out;
        private boolean missed;

        @Override
        public Integer call() throws Exception {
            long begun = System.nanoTime();
            long tokens = tokens(files.base);
            double plain = seconds(begun);
            out.printf(
                    Locale.ROOT,
                    "%s: %d MB, heap of at most %d MB%n",
                    files.base.getFileName(),
                    Files.size(files.base) / 1_000_000,
                    Runtime.getRuntime().maxMemory() / 1_000_000);
            line("Jackson's tokens alone", plain, plain, String.format(Locale.ROOT, "%,d tokens", tokens));
            work(plain);
            long peak = ManagementFactory.getMemoryPoolMXBeans().stream()
                    .filter(p -> p.getType() == MemoryType.HEAP)
                    .map(MemoryPoolMXBean::getPeakUsage)
                    .mapToLong(u -> u.getUsed())
                    .sum();
            out.printf(Locale.ROOT, "Peak of the heap, garbage included: %d MB%n", peak / 1_000_000);
            out.printf(
                    Locale.ROOT,
                    "Together in at most %.0f s and this heap: %s%n",
                    MOST_SECONDS,
                    missed ? "FAIL" : "pass");
            return missed ? 1 : 0;
        }

        /** All of it in one process, and nothing twice. */
        private void work(double plain) throws Exception {
            long begun = System.nanoTime();
            ComparedRun.Both runs = ComparedRun.read(files.base, files.next);
            double read = seconds(begun);
            line(
                    "read",
                    read,
                    plain,
                    String.format(
                            Locale.ROOT,
                            "%,d rows",
                            runs.base().run().rows().size()
                                    + runs.next().run().rows().size()));
            long at = System.nanoTime();
            String tables = ConsoleTable.render(runs.base().run(), WIDTH, false)
                    + ConsoleTable.render(runs.next().run(), WIDTH, false);
            double shown = seconds(at);
            line("tables", shown, plain, lines(tables));
            at = System.nanoTime();
            Comparison comparison = Comparer.compare(
                    runs.base(), runs.next(), new Comparison.Question(Tags.TIME_MEDIAN.path(), null, 0.005, false, 1));
            String table = ComparisonTable.render(comparison, WIDTH, false);
            double compared = seconds(at);
            line(
                    "compare",
                    compared,
                    plain,
                    String.format(
                            Locale.ROOT, "%,d pairs, %s", comparison.pairs().size(), lines(table)));
            double all = read + shown + compared;
            missed = all > MOST_SECONDS;
            line("together", all, plain, "");
        }

        private static String lines(String table) {
            return String.format(Locale.ROOT, "%,d lines", table.lines().count());
        }

        private void line(String what, double seconds, double plain, String of) {
            out.printf(Locale.ROOT, "%-26s%9.1f s %6.1f x  %s%n", what, seconds, seconds / plain, of);
            out.flush();
        }

        private static double seconds(long since) {
            return (System.nanoTime() - since) * 1e-9;
        }

        /** Every token is looked at, and numbers are made numbers. */
        private static long tokens(Path file) throws IOException {
            long count = 0;
            double sum = 0;
            try (InputStream in = new BufferedInputStream(Files.newInputStream(file));
                    JsonParser p = new JsonFactory().createParser(in)) {
                for (JsonToken token = p.nextToken(); token != null; token = p.nextToken()) {
                    count++;
                    if (token.isNumeric()) {
                        sum += p.getDoubleValue();
                    } else if (token == JsonToken.VALUE_STRING) {
                        sum += p.getTextLength();
                    }
                }
            }
            return Double.isNaN(sum) ? -1 : count;
        }
    }
}
