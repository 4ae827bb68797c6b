package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.result.Row;
import dev.panamark.result.Status;
import dev.panamark.result.Tag;
import dev.panamark.result.Tags;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the documents show works as they show it. */
class DocumentedExamplesTest {
    @TempDir
    Path folder;

    /** The fenced block of a language that follows {@code `name`} in a document. */
    private static String block(Path document, String name, String language) throws Exception {
        Matcher m = Pattern.compile("`" + Pattern.quote(name) + "`:?\\s+```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(document));
        assertTrue(m.find(), () -> document + " shows no " + name);
        return m.group(1);
    }

    private void runsRight(Path document, String name, String... axes) throws Exception {
        Session.needsCompiler();
        Session session = new Session(folder);
        session.file(name + ".c", block(document, name + ".c", "c"));
        Path yaml = session.file(name + ".yaml", block(document, name + ".yaml", "yaml"));
        Path json = session.path("result.json");
        List<String> args = new java.util.ArrayList<>(List.of(
                "run",
                "-k",
                yaml.toString(),
                "--json",
                json.toString(),
                "--budget",
                "15s",
                "--min-time",
                "10ms",
                "-q"));
        for (String axis : axes) {
            args.addAll(List.of("-a", axis));
        }
        Session.Ended ended = session.run(args.toArray(String[]::new));
        assertEquals(0, ended.code(), () -> ended.out() + ended.err());
        List<Row> rows = session.rows(json);
        assertTrue(rows.size() >= 2, "both examples have several problems");
        for (Row row : rows) {
            assertEquals(Status.OK, row.status(), row::toString);
        }
    }

    @Test
    void theReadmesKernel() throws Exception {
        runsRight(Path.of("../README.md"), "scale", "blocks=3,10");
    }

    @Test
    void theKernelFilesSaxpy() throws Exception {
        runsRight(Path.of("../docs/kernel-files.md"), "saxpy", "n=20000");
    }

    @Test
    void everyMetricIsExplained() throws Exception {
        String page = Files.readString(Path.of("../docs/results.md"));
        for (Tag tag : Tags.all()) {
            assertTrue(page.contains("| `" + tag.path() + "` | " + tag.unit() + " | "), tag.path());
        }
    }
}
