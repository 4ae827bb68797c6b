package dev.panamark.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CsvTableTest {
    /** By hand. */
    @Test
    void aSmallTable() {
        Row a = Row.builder("cpu:0", "a.b", "sha256:0a", Runs.map("n", 64, "dtype", "f16"), "hot")
                .metric("lab/zeta", Metric.value(3, "widgets", Source.COMPUTED))
                .metric(Tags.RATE_FLOPS, Tags.RATE_FLOPS.value(0.1 + 0.2, Source.COMPUTED))
                .metric("lab/alpha", Metric.missing("widgets", "none left"))
                .metric(
                        Tags.TIME_MEDIAN,
                        Tags.TIME_MEDIAN.value(1.5e-3, Source.MEASURED).withCi95(1e-3, 2e-3))
                .flag("one")
                .flag("two")
                .build();
        Row b = Row.builder("cpu:0", "a,c", "", Runs.map("m", 1), "cold")
                .invocation(0)
                .status(Status.FAILED, "said \"no\",\nthen ended")
                .build();
        assertEquals(
                "device,kernel,image,mode,invocation,axis:n,axis:dtype,axis:m,status,reason,flags,"
                        + "time/device/median (s),time/device/median.lo (s),time/device/median.hi (s),"
                        + "rate/flops (FLOP/s),lab/alpha (widgets),lab/zeta (widgets)\r\n"
                        + "cpu:0,a.b,sha256:0a,hot,,64,f16,,ok,,one; two,0.0015,0.001,0.002,0.30000000000000004,,3.0\r\n"
                        + "cpu:0,\"a,c\",,cold,0,,,1,failed,\"said \"\"no\"\",\nthen ended\",,,,,,,\r\n",
                CsvTable.render(Runs.run(List.of(a, b))));
    }

    @Test
    void everyRecordHasAsManyFieldsAsTheHeader() {
        List<List<String>> records = parse(CsvTable.render(Runs.realistic()));
        assertEquals(12, records.size());
        for (List<String> record : records) {
            assertEquals(records.getFirst().size(), record.size());
        }
        int reason = records.getFirst().indexOf("reason");
        assertTrue(records.stream().anyMatch(r -> r.get(reason).contains("got 5, expected 4")));
        assertEquals(1, parse(CsvTable.render(Runs.run(List.of()))).size());
    }

    /** RFC 4180, section 2. */
    private static List<List<String>> parse(String text) {
        List<List<String>> records = new ArrayList<>();
        List<String> record = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quoted) {
                if (c != '"') {
                    field.append(c);
                } else if (text.charAt(i + 1) == '"') {
                    field.append('"');
                    i++;
                } else {
                    quoted = false;
                }
            } else if (c == '"') {
                quoted = true;
            } else if (c == ',' || c == '\r') {
                record.add(field.toString());
                field.setLength(0);
            } else if (c == '\n') {
                records.add(List.copyOf(record));
                record.clear();
            } else {
                field.append(c);
            }
        }
        return records;
    }
}
