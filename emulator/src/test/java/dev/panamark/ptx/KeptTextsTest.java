package dev.panamark.ptx;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Texts that once failed, which are in {@code ptx/kept}: both engines agree on each. */
class KeptTextsTest {
    static List<Path> texts() throws IOException, URISyntaxException {
        URL folder = Objects.requireNonNull(KeptTextsTest.class.getResource("/ptx/kept"), "no folder ptx/kept");
        try (Stream<Path> files = Files.list(Path.of(folder.toURI()))) {
            return files.filter(file -> file.toString().endsWith(".ptx"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("texts")
    void enginesAgree(Path text) throws IOException {
        try (Agreement agreement = new Agreement()) {
            agreement.of(text.getFileName().toString(), Files.readString(text), 1_000_000);
        }
    }
}
