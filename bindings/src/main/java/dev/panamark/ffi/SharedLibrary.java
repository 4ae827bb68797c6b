package dev.panamark.ffi;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * A library of the system's, loaded for as long as the process runs: drivers start threads and register what is called
 * at exit, so they are never unloaded.
 */
public final class SharedLibrary {
    private final String file;
    private final MemorySegment handle;

    private SharedLibrary(String file, MemorySegment handle) {
        this.file = file;
        this.handle = handle;
    }

    /**
     * Loads it.
     *
     * @param name a path where it holds a slash, otherwise a name that the loader looks for
     * @throws LoaderException with the loader's words
     */
    public static SharedLibrary open(String name) {
        MemorySegment handle = DynamicLoader.open(name);
        // The loader keeps one name for a file; asked for by another (a link), it is the one that was asked for.
        return new SharedLibrary(name.indexOf('/') < 0 ? DynamicLoader.file(handle) : name, handle);
    }

    /** Where it was found. */
    public String file() {
        return file;
    }

    /** The address of a symbol; empty where the library has none of this name. */
    public Optional<MemorySegment> symbol(String name) {
        try {
            return Optional.of(DynamicLoader.symbol(handle, name));
        } catch (LoaderException e) {
            return Optional.empty();
        }
    }
}
