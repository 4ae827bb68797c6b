package dev.panamark.kernel;

import static dev.panamark.kernel.KernelFiles.assertHas;
import static dev.panamark.kernel.KernelFiles.fault;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelTest {

    /** The last column is published: KiB of bf16 KV cache a token, layers * kv_heads * head_dim * 2 * 2 / 1024. */
    @ParameterizedTest
    @CsvSource({
        "llama3-8b, 32, 32, 8, 128, 128",
        "llama3-70b, 80, 64, 8, 128, 320",
        "llama3.1-405b, 126, 128, 8, 128, 504",
        "qwen2-72b, 80, 64, 8, 128, 320",
        "qwen2.5-7b, 28, 28, 4, 128, 56",
        "qwen2.5-72b, 80, 64, 8, 128, 320",
        "mixtral-8x22b, 56, 48, 8, 128, 224",
        "mistral-7b, 32, 32, 8, 128, 128",
        "gemma2-27b, 46, 32, 16, 128, 368",
        "command-r-35b, 40, 64, 64, 128, 1280",
        "glm4-9b, 40, 32, 2, 128, 40",
    })
    void shapes(String name, long layers, long heads, long kvHeads, long headDim, long kib) {
        Model model = Model.named(name);
        assertEquals(layers, model.layers());
        assertEquals(new Value.Int(heads), model.axes().get("heads"));
        assertEquals(new Value.Int(kvHeads), model.axes().get("kv_heads"));
        assertEquals(new Value.Int(headDim), model.axes().get("head_dim"));
        assertEquals(kib, model.layers() * kvHeads * headDim * 4 / 1024);
        assertFalse(model.source().isBlank());
    }

    @Test
    void allOfThemAndNoOthers() {
        assertEquals(11, Model.all().size());
        assertHas(fault(() -> Model.named("lama3-8b")), "--model lama3-8b: unknown model; did you mean 'llama3-8b'?");
        assertHas(fault(() -> Model.named("deepseek-v3")), "unknown model; there are: llama3-8b, llama3-70b");
    }
}
