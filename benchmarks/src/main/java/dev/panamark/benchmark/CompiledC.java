package dev.panamark.benchmark;

import dev.panamark.driver.host.HostCompiler;
import dev.panamark.driver.host.HostFunction;
import dev.panamark.driver.host.HostLibrary;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A C source of the benchmarks, compiled like a kernel and loaded; its folder is there for other files, until closed. */
final class CompiledC implements AutoCloseable {
    private final Path folder;
    private final HostLibrary library;

    private CompiledC(Path folder, HostLibrary library) {
        this.folder = folder;
        this.library = library;
    }

    /** {@code resource}: {@code cuda.c}, beside this class. */
    static CompiledC of(String resource) {
        try {
            Path folder = Files.createTempDirectory("panamark-benchmark");
            try (InputStream in = CompiledC.class.getResourceAsStream(resource)) {
                if (in == null) {
                    throw new IllegalStateException(
                            "the resource " + resource + " is not on the class path; build again");
                }
                Path source = folder.resolve(resource);
                Files.copy(in, source);
                return new CompiledC(
                        folder,
                        HostLibrary.open(available(HostCompiler.find(System.getenv()))
                                .compile(source, List.of(), folder)
                                .sharedObject()));
            } catch (IOException | RuntimeException e) {
                delete(folder);
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path folder() {
        return folder;
    }

    HostFunction entry(String name) {
        return library.entry(name);
    }

    /** Calls a function that writes a status to the last of its arguments. */
    void open(String function, String what, MemorySegment... args) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment status = arena.allocate(ValueLayout.JAVA_INT);
            MemorySegment[] all = new MemorySegment[args.length + 1];
            for (int i = 0; i < args.length; i++) {
                all[i] = pointers(arena, args[i]);
            }
            all[args.length] = pointers(arena, status);
            entry(function).call(pointers(arena, all), arena.allocate(24, 8), 0, 1);
            int ended = status.get(ValueLayout.JAVA_INT, 0);
            if (ended != 0) {
                throw new IllegalStateException("the same calls in C ended with status " + ended + " of " + what);
            }
        }
    }

    static MemorySegment pointers(Arena arena, MemorySegment... to) {
        MemorySegment pointers = arena.allocate(ValueLayout.ADDRESS, to.length);
        for (int i = 0; i < to.length; i++) {
            pointers.setAtIndex(ValueLayout.ADDRESS, i, to[i]);
        }
        return pointers;
    }

    static <T> T available(Availability<T> found) {
        return found.orElseThrow(IllegalStateException::new);
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            library.close();
        } finally {
            delete(folder);
        }
    }
}
