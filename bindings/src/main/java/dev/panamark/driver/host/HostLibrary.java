package dev.panamark.driver.host;

import dev.panamark.ffi.DynamicLoader;
import dev.panamark.ffi.LoaderException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** A loaded shared object with CPU kernels. Closed once, when none of its functions is running or will be called. */
public final class HostLibrary implements AutoCloseable {
    private final Path file;
    private final MemorySegment handle;
    private final List<String> functions;
    private final AtomicBoolean closed = new AtomicBoolean();

    private HostLibrary(Path file, MemorySegment handle, List<String> functions) {
        this.file = file;
        this.handle = handle;
        this.functions = functions;
    }

    /**
     * Loads a shared object with all its references resolved.
     *
     * @throws HostLibraryException when it is none, is damaged, or needs what is not there; with the loader's words
     */
    public static HostLibrary open(Path file) {
        Path path = file.toAbsolutePath();
        if (!Files.isRegularFile(path)) {
            throw new HostLibraryException(file
                    + (Files.isDirectory(path) ? " is a folder" : " does not exist")
                    + "; expected a shared object");
        }
        List<String> functions = ElfSymbols.functions(path);
        try {
            return new HostLibrary(path, DynamicLoader.open(path.toString()), functions);
        } catch (LoaderException e) {
            throw new HostLibraryException(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * A function of it, taken to have the kernel signature that {@link HostFunction} describes.
     *
     * @throws MissingFunctionException when the object itself does not define it; lists those it defines
     */
    public HostFunction entry(String name) {
        requireOpen();
        if (!functions.contains(name)) {
            throw new MissingFunctionException(file + " has no function '" + name + "'; it has "
                    + (functions.isEmpty() ? "none (is everything static?)" : String.join(", ", functions)));
        }
        return new HostFunction(name, DynamicLoader.symbol(handle, name), this);
    }

    /** Where it lies. */
    public Path file() {
        return file;
    }

    /** Names of the functions that it defines, sorted. */
    public List<String> functions() {
        return functions;
    }

    void requireOpen() {
        if (closed.getPlain()) {
            throw new IllegalStateException(file + " is closed");
        }
    }

    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            DynamicLoader.close(handle);
        }
    }
}
