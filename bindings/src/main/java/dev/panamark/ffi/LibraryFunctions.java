package dev.panamark.ffi;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The functions of one library, each looked up when it is first asked for, so that an old library lacks only what it lacks.
 *
 * @param <F> what names a function
 */
public final class LibraryFunctions<F> {
    private final SharedLibrary library;
    private final Function<F, List<String>> symbols;
    private final Function<F, ? extends RuntimeException> missing;
    private final Map<F, MemorySegment> addresses = new ConcurrentHashMap<>();

    /**
     * Looks nothing up yet.
     *
     * @param symbols exported names of a function, in the order of looking
     * @param missing the exception where the library has none of them
     */
    public LibraryFunctions(
            SharedLibrary library, Function<F, List<String>> symbols, Function<F, ? extends RuntimeException> missing) {
        this.library = library;
        this.symbols = symbols;
        this.missing = missing;
    }

    /** Where the library was found. */
    public String file() {
        return library.file();
    }

    /** Where a function is, for the invokers of the raw layer; throws where the library has none. Allocates once. */
    public MemorySegment address(F function) {
        MemorySegment known = addresses.get(function);
        if (known != null) {
            return known;
        }
        MemorySegment found = find(function).orElseThrow(() -> missing.apply(function));
        addresses.put(function, found);
        return found;
    }

    /** Where a function is, if the library has it. */
    public Optional<MemorySegment> find(F function) {
        return symbols.apply(function).stream()
                .flatMap(symbol -> library.symbol(symbol).stream())
                .findFirst();
    }
}
