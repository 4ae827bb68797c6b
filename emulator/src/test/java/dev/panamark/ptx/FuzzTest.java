package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What fails is written down. */
class FuzzTest {
    @Test
    void aTextThatFailsIsKept() throws IOException {
        IllegalStateException cause = new IllegalStateException("planted");
        AssertionError failure = assertThrows(
                AssertionError.class,
                () -> Fuzz.attempt("planted-1.ptx", "a text", () -> {
                    throw cause;
                }));
        assertSame(cause, failure.getCause());
        String message = String.valueOf(failure.getMessage());
        Path file = Path.of(message.substring(0, message.indexOf(" fails")));
        assertEquals("planted-1.ptx", String.valueOf(file.getFileName()));
        assertTrue(message.contains("src/test/resources/ptx/kept/planted-1.ptx"), message);
        assertEquals("a text", Files.readString(file));
        Files.delete(file);
    }

    @Test
    void aKernelThatIsRefusedFailsWhereAllMustComplete() {
        Fuzz fuzz = new Fuzz("planted", true, 1000, seed -> Texts.kernel(0, seed == 2 ? "no such;" : ""));
        AssertionError failure = assertThrows(AssertionError.class, () -> fuzz.run(0, 4));
        assertTrue(String.valueOf(failure.getMessage()).contains("planted-2.ptx"), failure.getMessage());
        assertEquals(4, new Fuzz("planted", true, 1000, seed -> Texts.kernel(0, "")).run(0, 4)[2]);
    }
}
