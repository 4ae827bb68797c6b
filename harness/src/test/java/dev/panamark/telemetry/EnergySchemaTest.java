package dev.panamark.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Written energies against the shipped schema, judged by a validator that shares no code with Panamark. */
class EnergySchemaTest {
    private static final String TEXT = schemaText();
    private static final Schema SCHEMA = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
            .getSchema(TEXT, InputFormat.JSON);

    private static String schemaText() {
        try (InputStream in = Objects.requireNonNull(EnergyRun.class.getResourceAsStream(EnergyRun.SCHEMA_RESOURCE))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (java.io.IOException e) {
            throw new AssertionError(e);
        }
    }

    static Stream<EnergyRun> runs() {
        return Stream.of(EnergyRuns.server(), EnergyRuns.partly(), EnergyRuns.nothing(), EnergyRuns.unbounded());
    }

    @ParameterizedTest
    @MethodSource("runs")
    void acceptsWhatIsWritten(EnergyRun run) {
        assertEquals(List.of(), SCHEMA.validate(EnergyJson.render(run), InputFormat.JSON));
    }

    /** 100 + 25 + 150 J, and 0.25 + 0.1 + 0.25 J for half of the interval. */
    @Test
    void holdsWhatWasMetered() throws Exception {
        JsonNode root = new ObjectMapper().readTree(EnergyJson.render(EnergyRuns.server()));
        JsonNode total = root.path("total").path("energy");
        assertEquals(275, total.path("value").asDouble());
        assertEquals(274.4, total.path("ci95").path(0).asDouble(), 1e-9);
        assertEquals(110, root.path("total").path("power").path("value").asDouble());
        assertEquals(3, root.path("total").path("meters").size());
        assertEquals(
                "rapl:package-0/core", root.path("meters").path(3).path("meter").asText());
        assertEquals(1e-3, root.path("meters").path(0).path("update_period_s").asDouble());
        assertEquals(64, root.path("host").path("processors").asInt());
        assertEquals("make", root.path("command").path(0).asText());
    }

    @Test
    void aSumWithAMissingPartIsMissing() throws Exception {
        JsonNode root = new ObjectMapper().readTree(EnergyJson.render(EnergyRuns.partly()));
        JsonNode total = root.path("total").path("energy");
        assertTrue(total.path("value").isNull());
        assertEquals(
                "nvml:0: the counter is stuck: it stayed at 5 J for 2.5 s",
                total.path("reason").asText());
        assertEquals(
                100, root.path("meters").path(0).path("energy").path("value").asDouble());
        assertEquals("GPU-0123", root.path("meters").path(1).path("uuid").asText());
        JsonNode unbounded = new ObjectMapper().readTree(EnergyJson.render(EnergyRuns.unbounded()));
        assertTrue(unbounded.path("total").path("energy").path("ci95").isNull());
        assertEquals(500, unbounded.path("total").path("energy").path("value").asDouble());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"schema\": \"panamark.energy/1\"|\"schema\": \"panamark.energy/2\"",
                "\"scope\": \"memory\"|\"scope\": \"somewhere\"",
                "\"exit_status\": 0|\"exit_status\": -1",
                "\"value\": 275.0|\"value\": null",
                "\"unit\": \"J\"|\"unit\": \"W\"",
                "\"source\": \"computed\"|\"source\": null",
                "\"duration_s\": 2.5,|''",
                "\"total\": {|\"sum\": {"
            })
    void refusesWhatIsNotTheFormat(String from, String to) {
        String right = EnergyJson.render(EnergyRuns.server());
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
