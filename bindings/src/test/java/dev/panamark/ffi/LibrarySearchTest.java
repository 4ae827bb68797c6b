package dev.panamark.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.panamark.ffi.LibrarySearch.Candidate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

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

    @Test
    void eachCandidateHasItsReason() {
        LibrarySearch nowhere = new LibrarySearch(
                List.of(Candidate.of("libnowhere.so.7"), new Candidate("the usual place", "/nowhere/libcuda.so.1")),
                "Install it");
        switch (nowhere.open()) {
            case Availability.Available<SharedLibrary>(SharedLibrary library) -> fail(library.file());
            case Availability.Unavailable<SharedLibrary> none -> {
                assertEquals(2, none.reasons().size());
                assertTrue(
                        none.reasons().get(0).startsWith("libnowhere.so.7: dlopen: libnowhere.so.7: cannot open"),
                        none.text());
                assertTrue(
                        none.reasons().get(1).startsWith("the usual place: dlopen: /nowhere/libcuda.so.1: cannot open"),
                        none.text());
                assertEquals("Install it", none.remedy());
            }
        }
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
