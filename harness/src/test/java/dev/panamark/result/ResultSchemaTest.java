package dev.panamark.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files against the shipped schema, judged by a validator that shares no code with Panamark. */
class ResultSchemaTest {
    private static final Schema SCHEMA = schema();

    @TempDir
    Path dir;

    private static Schema schema() {
        try (InputStream in = Objects.requireNonNull(RunResult.class.getResourceAsStream(RunResult.SCHEMA_RESOURCE))) {
            return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                    .getSchema(new String(in.readAllBytes(), StandardCharsets.UTF_8), InputFormat.JSON);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String written(RunResult run) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ResultFile.write(run, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void acceptsWhatIsWritten() {
        assertEquals(List.of(), SCHEMA.validate(written(Samples.run()), InputFormat.JSON));
        String full = written(
                Samples.run(Samples.full(), Samples.wrong()).withFinished(Instant.parse("2026-01-31T12:01:00Z")));
        assertEquals(List.of(), SCHEMA.validate(full, InputFormat.JSON));
        for (Status status : Status.values()) {
            Row row = status == Status.OK
                    ? Samples.wrong().toBuilder().ok().build()
                    : Samples.wrong().toBuilder().status(status, "why").build();
            assertEquals(List.of(), SCHEMA.validate(written(Samples.run(row)), InputFormat.JSON), status.tag());
        }
    }

    @Test
    void isItselfAValidSchema() throws IOException {
        Schema meta = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(com.networknt.schema.SchemaLocation.of("https://json-schema.org/draft/2020-12/schema"));
        try (InputStream in = Objects.requireNonNull(RunResult.class.getResourceAsStream(RunResult.SCHEMA_RESOURCE))) {
            assertEquals(
                    List.of(), meta.validate(new String(in.readAllBytes(), StandardCharsets.UTF_8), InputFormat.JSON));
        }
    }

    /** What the schema refuses the reader refuses too, and the other way round. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "\"status\": \"wrong\"|\"status\": \"bad\"",
                "\"status\": \"wrong\"|\"status\": \"ok\"",
                "\"reason\": \"why\"|\"reason\": null",
                "\"reason\": \"why\"|\"reason\": \" \"",
                "\"reason\": \"why\",|''",
                "\"metrics\": { }|\"metrics\": {\"a/b\": {\"value\": null, \"unit\": \"s\", \"source\": null}}",
                "\"metrics\": { }|\"metrics\": {\"a/b\": {\"value\": null, \"unit\": \"s\", \"source\": null, \"reason\": null}}",
                "\"metrics\": { }|\"metrics\": {\"a/b\": {\"value\": 1, \"unit\": \"s\", \"source\": \"measured\", \"reason\": \"x\"}}",
                "\"metrics\": { }|\"metrics\": {\"a/b\": {\"value\": 1, \"unit\": \"s\", \"source\": null}}",
                "\"metrics\": { }|\"metrics\": {\"a/b\": {\"value\": 1, \"unit\": \"s\", \"source\": \"guessed\"}}",
                "\"metrics\": { }|\"metrics\": {\"a/b\": {\"value\": 1, \"unit\": \"\", \"source\": \"measured\"}}",
                "\"metrics\": { }|\"metrics\": {\"a/b\": {\"value\": 1, \"source\": \"measured\"}}",
                "\"metrics\": { }|\"metrics\": {\"a/b\": {\"value\": \"NaN\", \"unit\": \"s\", \"source\": \"measured\"}}",
                "\"metrics\": { }|\"metrics\": {\"a/b\": {\"value\": 1, \"unit\": \"s\", \"source\": \"measured\", \"n\": 0}}",
                "\"metrics\": { }|\"metrics\": {\"a/b\": {\"value\": 1, \"unit\": \"s\", \"source\": \"measured\", \"ci95\": [1]}}",
                "\"metrics\": { }|\"metrics\": {\"a/b\": {\"value\": 1, \"unit\": \"s\", \"source\": \"measured\", \"colour\": 1}}",
                "\"metrics\": { }|\"metrics\": {\"Time\": {\"value\": 1, \"unit\": \"s\", \"source\": \"measured\"}}",
                "\"mode\": \"cold\"|\"mode\": \"tepid\"",
                "\"invocation\": null|\"invocation\": -1",
                "\"invocation\": null,|''",
                "\"samples\": [ ]|\"samples\": [-1]",
                "\"samples\": [ ]|\"samples\": [null]",
                "\"flags\": [ ]|\"flags\": [1]",
                "\"n\": 64|\"n\": null",
                "\"device\": \"cpu:0\"|\"device\": \"\"",
                "\"id\": \"cpu:0\"|\"ID\": \"cpu:0\"",
                "\"seed\": -7|\"seed\": 9223372036854775808",
                "\"seed\": -7|\"seed\": \"-7\"",
                "\"schema\": \"panamark.result/1\"|\"schema\": \"panamark.result/2\"",
                "\"seed\": -7|\"seed\": -7, \"colour\": 1",
            })
    void refusesWithTheReader(String from, String to) throws IOException {
        Row row = Samples.wrong().toBuilder().status(Status.WRONG, "why").build();
        String good = written(Samples.run(row));
        assertTrue(good.contains(from), good);
        String bad = good.replace(from, to);
        List<Error> errors = SCHEMA.validate(bad, InputFormat.JSON);
        assertFalse(errors.isEmpty(), bad);
        Path file = Files.writeString(dir.resolve("bad.json"), bad);
        assertThrows(ResultFileException.class, () -> ResultFile.read(file));
    }

    @Test
    void acceptsNewTags() {
        Row row = Samples.wrong().toBuilder()
                .metric("l1/new_2_metric/deep", Metric.value(1, "hits", Source.MEASURED))
                .build();
        assertEquals(List.of(), SCHEMA.validate(written(Samples.run(row)), InputFormat.JSON));
    }

    @Test
    void nanIsNoJsonAtAll() {
        String bad = written(Samples.run(Samples.wrong()))
                .replace(
                        "\"metrics\": { }",
                        "\"metrics\": {\"a/b\": {\"value\": NaN, \"unit\": \"s\", \"source\": \"measured\"}}");
        assertThrows(RuntimeException.class, () -> SCHEMA.validate(bad, InputFormat.JSON));
    }
}
