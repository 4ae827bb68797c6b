package dev.panamark.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.panamark.result.RunResult;
import dev.panamark.result.Status;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Written comparisons against the shipped schema, judged by a validator that shares no code with Panamark. */
class CompareSchemaTest {
    private static final String TEXT = schemaText();
    private static final Schema SCHEMA = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
            .getSchema(TEXT, InputFormat.JSON);

    private static String schemaText() {
        try (InputStream in =
                Objects.requireNonNull(Comparison.class.getResourceAsStream(Comparison.SCHEMA_RESOURCE))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (java.io.IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String everything() {
        RunResult base = Runs.run(
                Runs.invocations("cpu:0", "a.b", 64, "sha256:0a", Runs.five(1e-3)),
                Runs.invocations("cpu:0", "a.broken", 64, "", Runs.five(1)),
                Runs.invocations("cpu:0", "a.gone", 64, "", Runs.five(1)),
                Runs.invocations("cpu:0", "a.once", 64, "", 1.0),
                List.of(Runs.sampled("a.s", 8, Runs.noisy(1, 50, 1e-3, 0.01)).build()));
        RunResult next = Runs.run(
                Runs.invocations("cpu:0", "a.b", 64, "sha256:0b", Runs.five(1.1e-3)),
                List.of(Runs.bad("a.broken", 64, Status.WRONG)),
                Runs.invocations("cpu:0", "a.once", 64, "", 2.0),
                List.of(Runs.sampled("a.s", 8, Runs.noisy(2, 5, 1e-3, 0.01)).build()));
        RunResult other = new RunResult(
                RunResult.SCHEMA,
                List.of(),
                next.started(),
                next.started(),
                next.host(),
                next.devices(),
                next.kernels(),
                43,
                next.rows());
        Comparison c = Comparer.compare(Runs.compared("b.json", base), Runs.compared("n.json", other), Runs.time());
        List<FailRule> rules = List.of(FailRule.parse("slower:3%"));
        return CompareJson.render(c, rules, FailRule.failures(rules, c));
    }

    @Test
    void acceptsWhatIsWritten() {
        assertEquals(List.of(), SCHEMA.validate(everything(), InputFormat.JSON));
        RunResult none = Runs.run();
        Comparison empty = Comparer.compare(Runs.compared("b", none), Runs.compared("n", none), Runs.time());
        assertEquals(List.of(), SCHEMA.validate(CompareJson.render(empty, List.of(), List.of()), InputFormat.JSON));
    }

    /** The numbers in the file are those that were put in. */
    @Test
    void holdsWhatWasFound() throws Exception {
        JsonNode root = new ObjectMapper().readTree(everything());
        JsonNode pair = root.path("pairs").path(0);
        assertEquals("a.b", pair.path("kernel").asText());
        assertEquals(64, pair.path("problem").path("n").asLong());
        assertEquals(1.1, pair.path("ratio").asDouble(), 1e-12);
        assertEquals("slower", pair.path("verdict").asText());
        assertEquals(5, pair.path("new").path("invocations").asInt());
        assertTrue(pair.path("ci95").path(0).asDouble() > 1.09);
        JsonNode once = root.path("pairs").path(1);
        assertEquals("interval", once.path("base").path("spread_from").asText());
        JsonNode few = root.path("pairs").path(2);
        assertTrue(few.path("ci95").isNull());
        assertEquals("none", few.path("new").path("spread_from").asText());
        assertEquals("undecided", few.path("verdict").asText());
        assertEquals("not_ok", root.path("not_compared").path(0).path("kind").asText());
        assertTrue(root.path("not_compared").path(1).path("new").isNull());
        assertEquals("seed", root.path("environment").path(0).path("field").asText());
        assertEquals(
                List.of("slower:3%", "slower:3%", "broken"),
                root.path("gate").path("failures").findValuesAsText("rule"));
        assertTrue(root.path("overall").path("ci95").isNull());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"verdict\": \"slower\"|\"verdict\": \"slow\"",
                "\"kind\": \"not_ok\"|\"kind\": \"bad\"",
                "\"threshold\": 0.005|\"threshold\": 0",
                "\"metric\": \"time/device/median\",|''",
                "\"schema\": \"panamark.compare/1\"|\"schema\": \"panamark.compare/2\"",
                "\"spread_from\": \"invocations\"|\"spread_from\": \"air\"",
                "\"overall\": {|\"more\": {",
                "\"mode\": \"hot\"|\"mode\": \"warm\""
            })
    void refusesWhatIsNotTheFormat(String from, String to) {
        String right = everything();
        String wrong = right.replace(from, to);
        assertFalse(right.equals(wrong), "the test replaces " + from);
        assertFalse(SCHEMA.validate(wrong, InputFormat.JSON).isEmpty());
    }

    @Test
    void isItselfAValidSchema() {
        Schema meta = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(com.networknt.schema.SchemaLocation.of("https://json-schema.org/draft/2020-12/schema"));
        assertEquals(List.of(), meta.validate(TEXT, InputFormat.JSON));
    }
}
