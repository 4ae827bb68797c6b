package dev.panamark.kernel;

import static dev.panamark.kernel.KernelFiles.assertHas;
import static dev.panamark.kernel.KernelFiles.fault;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AxisOverrideTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "kv_len=1024,4096; [1024, 4096]",
                "kv_len=1024; [1024]",
                "kv_len=[1, 2]; [1, 2]",
                " kv_len = 1 , 2 ; [1, 2]",
                "kv_len=1:5; [1, 2, 3, 4, 5]",
                "kv_len=1:10:4; [1, 5, 9]",
                "kv_len=16:64:16; [16, 32, 48, 64]",
                "kv_len=5:1:-2; [5, 3, 1]",
                "kv_len[pow2]=9:14; [512, 1024, 2048, 4096, 8192, 16384]",
                "kv_len[pow2]=4:8:2; [16, 64, 256]",
                "kv_len[pow2]=0,62; [1, 4611686018427387904]",
                "kv_len=0.1:0.3:0.1; [0.1, 0.2, 0.3]",
                "kv_len=f16,bf16; [f16, bf16]",
                "kv_len=true; [true]",
                "kv_len=-3,2.5; [-3, 2.5]"
            })
    void forms(String text, String values) {
        AxisOverride override = AxisOverride.parse(text);
        assertEquals("kv_len", override.name());
        assertEquals(values, override.values().toString());
    }

    @Test
    void valuesHaveKinds() {
        assertEquals(
                List.of(new Value.Int(1), new Value.Real(0.5), new Value.Text("f16"), new Value.Bool(true)),
                AxisOverride.parse("a=1,0.5,f16,true").values());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '#',
            value = {
                "kv_len; is no axis with values; expected name=1,2,3",
                "=3; is no axis with values",
                "kv_len=; gives no value",
                "kv_len=[]; gives no value",
                "kv_len=1,; '' is no value; expected a whole number",
                "kv_len=[1,2; has a bracket without its partner",
                "kv_len[log2]=1; '[log2]' is unknown; expected [pow2]",
                "kv_len=1:2:3:4; '1:2:3:4' is no range",
                "kv_len=a:b; 'a:b' is no range",
                "kv_len=1:5:0; never reaches its stop",
                "kv_len=5:1; never reaches its stop",
                "kv_len=1:100000000; has more than 10000 values",
                "kv_len=9223372036854775806:9223372036854775809; goes beyond 2^63-1",
                "kv_len[pow2]=63; '63' is no exponent of two; expected a whole number from 0 to 62",
                "kv_len[pow2]=f16; 'f16' is no exponent of two",
                "kv_len=9223372036854775808; '9223372036854775808' is no value",
                "kv_len=a b; 'a b' is no value",
                "kv_len=1,1; gives a value twice",
            })
    void faults(String text, String what) {
        assertHas(fault(() -> AxisOverride.parse(text)), "-a " + text + ": ", what);
    }
}
