package dev.panamark.driver.host;

import static dev.panamark.driver.host.TestCompiler.message;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostLibraryTest {
    private static final String KERNELS = """
            #include <math.h>
            #include <stdint.h>
            static void hidden(void) {}
            void nothing(void **args, const int64_t grid[3], int64_t first, int64_t last) { hidden(); }
            void mixed(void **args, const int64_t grid[3], int64_t first, int64_t last) {
                double *out = *(double **) args[0];
                int32_t i = *(int32_t *) args[1];
                double d = *(double *) args[2];
                out[0] = i + sqrt(d) + grid[0] * 100 + grid[1] * 10 + grid[2] + first / 16.0 + last / 64.0;
            }
            """;

    @TempDir
    Path folder;

    @Test
    void aKernelSeesArgumentsGridAndRange() throws IOException {
        try (HostLibrary library = TestCompiler.library(folder, KERNELS);
                Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_DOUBLE);
            MemorySegment args = arena.allocate(ValueLayout.ADDRESS, 3);
            args.setAtIndex(ValueLayout.ADDRESS, 0, arena.allocateFrom(ValueLayout.ADDRESS, out));
            args.setAtIndex(ValueLayout.ADDRESS, 1, arena.allocateFrom(ValueLayout.JAVA_INT, -1000));
            args.setAtIndex(ValueLayout.ADDRESS, 2, arena.allocateFrom(ValueLayout.JAVA_DOUBLE, 6.25));
            MemorySegment grid = arena.allocateFrom(ValueLayout.JAVA_LONG, 3, 4, 5);
            library.entry("mixed").call(args, grid, 1, 2);
            // By hand: -1000 + 2.5 + 345 + 1/16 + 2/64.
            assertEquals(-652.40625, out.get(ValueLayout.JAVA_DOUBLE, 0));
        }
    }

    @Test
    void aMissingFunctionListsThoseThatAreThere() throws IOException {
        try (HostLibrary library = TestCompiler.library(folder, KERNELS)) {
            assertEquals(List.of("mixed", "nothing"), library.functions());
            MissingFunctionException e = assertThrows(MissingFunctionException.class, () -> library.entry("nothin"));
            assertTrue(message(e).endsWith("has no function 'nothin'; it has mixed, nothing"), message(e));
            // The loader would find it in libm, which the object needs.
            assertThrows(MissingFunctionException.class, () -> library.entry("cbrt"));
            assertThrows(MissingFunctionException.class, () -> library.entry("hidden"));
        }
    }

    /** The object lists the function, whose resolver then has none for this machine: dlsym gives no address. */
    @Test
    void aFunctionWithoutAnAddressIsALibrarysFault() throws IOException {
        String text = """
                static void *resolve(void) { return 0; }
                void absent(void) __attribute__((ifunc("resolve")));
                """;
        try (HostLibrary library = TestCompiler.library(folder, text)) {
            assertEquals(List.of("absent"), library.functions());
            HostLibraryException e = assertThrows(HostLibraryException.class, () -> library.entry("absent"));
            assertEquals("dlsym: absent", message(e));
        }
    }

    @Test
    void anObjectWithoutFunctionsSaysSo() throws IOException {
        try (HostLibrary library = TestCompiler.library(folder, "int data = 3;\n")) {
            MissingFunctionException e = assertThrows(MissingFunctionException.class, () -> library.entry("data"));
            assertTrue(message(e).contains("it has none"), message(e));
        }
    }

    @Test
    void aClosedLibraryIsNotCalled() throws IOException {
        HostLibrary library = TestCompiler.library(folder, KERNELS);
        HostFunction function = library.entry("nothing");
        library.close();
        library.close();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment grid = arena.allocate(24);
            assertThrows(IllegalStateException.class, () -> function.call(grid, grid, 0, 1));
        }
        assertThrows(IllegalStateException.class, () -> library.entry("nothing"));
    }

    @Test
    void aShortGridIsRefused() throws IOException {
        try (HostLibrary library = TestCompiler.library(folder, KERNELS);
                Arena arena = Arena.ofConfined()) {
            HostFunction function = library.entry("nothing");
            MemorySegment small = arena.allocate(16);
            IllegalArgumentException e =
                    assertThrows(IllegalArgumentException.class, () -> function.call(small, small, 0, 1));
            assertEquals("nothing: the grid takes 24 bytes, not 16", message(e));
        }
    }

    @Test
    void anUndefinedReferenceIsFoundWhenLoading() throws IOException {
        Path source = TestCompiler.source(folder, "loose.c", "int nowhere(int);\nint f(void) { return nowhere(1); }\n");
        CompiledObject loose = TestCompiler.real()
                .compile(source, List.of("-Wl,--unresolved-symbols=ignore-all"), folder.resolve("cache"));
        HostLibraryException e = assertThrows(HostLibraryException.class, () -> HostLibrary.open(loose.sharedObject()));
        assertTrue(message(e).contains("nowhere"), message(e));
    }

    @Test
    void filesThatAreNoSharedObjectsAreRefused() throws IOException {
        assertTrue(refused(folder.resolve("none.so")).contains("does not exist"));
        assertTrue(refused(folder).contains("is a folder"));
        Path text = Files.writeString(folder.resolve("text.so"), "x".repeat(100));
        assertTrue(refused(text).contains("is not an ELF shared object"));
        assertTrue(refused(Files.createFile(folder.resolve("empty.so"))).contains("is not an ELF shared object"));
    }

    @Test
    void everyTruncationIsRefusedWithoutACrash() throws IOException {
        byte[] whole;
        try (HostLibrary library = TestCompiler.library(folder, KERNELS)) {
            assertEquals(2, library.functions().size());
            whole = Files.readAllBytes(library.file());
        }
        for (int length = 0; length < whole.length; length += 509) {
            Path cut = Files.write(folder.resolve("cut.so"), Arrays.copyOf(whole, length));
            assertThrows(HostLibraryException.class, () -> HostLibrary.open(cut), "cut to " + length);
        }
    }

    @Test
    void aCallAllocatesNothingOnceCompiled() throws IOException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (HostLibrary library = TestCompiler.library(folder, KERNELS)) {
            HostFunction function = library.entry("nothing");
            MemorySegment args = Arena.ofAuto().allocate(24);
            long allocated = Long.MAX_VALUE;
            for (int round = 0; round < 500 && allocated != 0; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 10_000; i++) {
                    function.call(args, args, 0, 1);
                }
                allocated = threads.getCurrentThreadAllocatedBytes() - before;
            }
            assertEquals(0, allocated);
        }
    }

    private static String refused(Path file) {
        return String.valueOf(assertThrows(HostLibraryException.class, () -> HostLibrary.open(file))
                .getMessage());
    }
}
