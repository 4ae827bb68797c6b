package dev.panamark.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FoldersTest {
    private static final Path SHORT = Path.of("/tmp");

    @TempDir
    Path folder;

    private Path deep() throws IOException {
        return Files.createDirectories(folder.resolve("d".repeat(60)).resolve("e".repeat(60)));
    }

    @Test
    void aPlaceTooDeepForASocketIsPassedOver() throws IOException {
        Path deep = deep();
        Path made = Folders.forSocket(List.of(deep, SHORT), "s");
        try {
            assertEquals(SHORT, made.getParent());
            try (var left = Files.list(deep)) {
                assertEquals(0, left.count(), "nothing stays in the place that was passed over");
            }
        } finally {
            Folders.delete(made);
        }
        assertFalse(Files.exists(made));
    }

    @Test
    void soIsAPlaceThatIsNotThere() throws IOException {
        Path made = Folders.forSocket(List.of(folder.resolve("nowhere"), SHORT), "s");
        Folders.delete(made);
        assertEquals(SHORT, made.getParent());
    }

    @Test
    void withoutAPlaceTheReasonsAreGiven() throws IOException {
        Path deep = deep();
        IOException e =
                assertThrows(IOException.class, () -> Folders.forSocket(List.of(deep, folder.resolve("nowhere")), "s"));
        String message = String.valueOf(e.getMessage());
        assertTrue(message.contains("bytes long, and at most 103 are possible"), message);
        assertTrue(message.contains("no folder can be made in " + folder.resolve("nowhere")), message);
        assertTrue(message.contains("-Djava.io.tmpdir="), message);
    }

    @Test
    void aFolderIsDeletedWithItsFiles() throws IOException {
        Path made = Files.createDirectory(folder.resolve("own"));
        Files.writeString(made.resolve("output"), "text");
        Folders.delete(made);
        assertFalse(Files.exists(made));
        Folders.delete(made);
        Folders.delete(null);
    }
}
