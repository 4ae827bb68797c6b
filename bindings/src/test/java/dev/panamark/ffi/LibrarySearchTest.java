package dev.panamark.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.panamark.ffi.LibrarySearch.Candidate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibrarySearchTest {
    private static final LibrarySearch LIBC = new LibrarySearch(
            List.of(Candidate.of("libnowhere.so.7"), Candidate.of("libc.so.6"), Candidate.of("libm.so.6")),
            "Install a C library");

    private static SharedLibrary found(LibrarySearch search) {
        return switch (search.open()) {
            case Availability.Available<SharedLibrary>(SharedLibrary library) -> library;
            case Availability.Unavailable<SharedLibrary> none -> fail(none.text());
        };
    }

    @Test
    void theFirstThatTheLoaderTakesIsTaken() {
        SharedLibrary library = found(LIBC);
        assertTrue(library.file().endsWith("/libc.so.6"), library.file());
        assertTrue(library.symbol("strlen").isPresent());
        assertEquals(Optional.empty(), library.symbol("cuInit"));
    }

    private static Availability.Unavailable<SharedLibrary> absent(Candidate... candidates) {
        return switch (new LibrarySearch(List.of(candidates), "Install it").open()) {
            case Availability.Available<SharedLibrary>(SharedLibrary library) -> fail(library.file());
            case Availability.Unavailable<SharedLibrary> none -> none;
        };
    }

    @Test
    void whatIsNotThereIsSaidOnce() {
        assertEquals(
                "libnowhere.so.7, /nowhere/libcuda.so.1 and the usual place are not there. Install it",
                absent(
                                Candidate.of("libnowhere.so.7"),
                                Candidate.of("/nowhere/libcuda.so.1"),
                                new Candidate("the usual place", "/elsewhere/libcuda.so.1"))
                        .text());
        assertEquals(
                "libnowhere.so.7 is not there. Install it",
                absent(Candidate.of("libnowhere.so.7")).text());
    }

    @Test
    void whatIsNoLibraryHasTheLoadersWords(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("libcuda.so.1"), "no library");
        Availability.Unavailable<SharedLibrary> none =
                absent(Candidate.of("libnowhere.so.7"), Candidate.of(file.toString()));
        assertEquals(2, none.reasons().size());
        assertEquals("libnowhere.so.7 is not there", none.reasons().getFirst());
        assertTrue(none.reasons().getLast().startsWith(file + ": dlopen: " + file), none.text());
    }

    @Test
    void aChoiceIsTheOnlyCandidate() {
        LibrarySearch chosen = LIBC.chosenBy("SOME_LIBC", Map.of("SOME_LIBC", " libm.so.6 "));
        assertEquals(List.of(new Candidate("SOME_LIBC=libm.so.6", "libm.so.6")), chosen.candidates());
        assertEquals("Install a C library, or unset SOME_LIBC to search the usual places", chosen.remedy());
        assertTrue(found(chosen).file().endsWith("/libm.so.6"));
        assertSame(LIBC, LIBC.chosenBy("SOME_LIBC", Map.of("SOME_LIBC", " ")));
        assertSame(LIBC, LIBC.chosenBy("SOME_LIBC", Map.of()));
    }
}
