package dev.panamark.driver.host;

import dev.panamark.ffi.DynamicLoader;
import dev.panamark.ffi.LoaderException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** A loaded shared object with CPU kernels, or with code that launches a GPU's. Closed once, when none of its functions is running or will be called. */
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
        return new HostLibrary(path, loaded(() -> DynamicLoader.open(path.toString())), functions);
    }

    /** What the loader answers; callers of kernels know refusals of libraries and nothing of the loader. */
    private static <T> T loaded(Supplier<T> call) {
        try {
            return call.get();
        } catch (LoaderException e) {
            throw new HostLibraryException(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * A function of it, taken to have the kernel signature that {@link HostFunction} describes.
     *
     * @throws MissingFunctionException when the object itself does not define it; lists those it defines
     * @throws HostLibraryException when the loader finds no address for it; with the loader's words
     */
    public HostFunction entry(String name) {
        return new HostFunction(name, address(name), this);
    }

    /**
     * A function of it, taken to have the signature that {@link HostLauncher} describes.
     *
     * @throws MissingFunctionException when the object itself does not define it; lists those it defines
     * @throws HostLibraryException when the loader finds no address for it; with the loader's words
     */
    public HostLauncher launcher(String name) {
        return new HostLauncher(name, address(name), this);
    }

    private MemorySegment address(String name) {
        requireOpen();
        if (!functions.contains(name)) {
            throw new MissingFunctionException(file + " has no function '" + name + "'; it has "
                    + (functions.isEmpty() ? "none (is everything static?)" : String.join(", ", functions)));
        }
        return loaded(() -> DynamicLoader.symbol(handle, name));
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

    /**
     * Unloads it; nothing happens a second time.
     *
     * @throws HostLibraryException with the loader's words
     */
    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            loaded(() -> {
                DynamicLoader.close(handle);
                return handle;
            });
        }
    }
}
