package dev.panamark.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.panamark.result.Row;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.util.List;
import org.junit.jupiter.api.Test;

class MarkdownTableTest {
    /** By hand. */
    @Test
    void aSmallTable() {
        Row a = Row.builder("cpu:0", "a.b", "", Runs.map("n", 64), "hot")
                .metric(
                        Tags.TIME_MEDIAN,
                        Tags.TIME_MEDIAN.value(1.5e-3, Source.MEASURED).withCi95(1.47e-3, 1.53e-3))
                .metric(Tags.RATE_BYTES, Tags.RATE_BYTES.value(2e9, Source.COMPUTED))
                .flag("a <b> flag")
                .build();
        Row b = Row.builder("cpu:0", "my_kernel|x", "", Runs.map("n", 64), "hot")
                .metric(
                        Tags.TIME_MEDIAN,
                        Tags.TIME_MEDIAN.value(2e-3, Source.MEASURED).withNote("only 3 samples"))
                .metric(Tags.RATE_BYTES, Tags.RATE_BYTES.missing("none"))
                .build();
        Row c = Row.builder("cpu:0", "c", "", Runs.map("n", 64), "hot")
                .status(Status.TIMEOUT, "line 1\nline 2")
                .build();
        assertEquals("""
                ### cpu:0

                Example CPU 9000 · hot · seed 42

                | kernel | problem | status | time | ± % | GB/s |
                | :--- | :--- | :--- | ---: | ---: | ---: |
                | a.b | n=64 | ok ¹ | 1.500 ms | 2.0 | 2.00 |
                | my\\_kernel\\|x | n=64 | ok | 2.000 ms | –² | –³ |
                | c | n=64 | **TIMEOUT**: line 1 line 2 | – | – | – |

                - Where from: time measured; ± %, GB/s computed.

                - ¹ a &lt;b> flag
                - ² only 3 samples
                - ³ none

                3 rows: 2 ok, 1 timeout; took 1 min 12 s.
                """, MarkdownTable.render(Runs.run(List.of(a, b, c))));
    }
}
