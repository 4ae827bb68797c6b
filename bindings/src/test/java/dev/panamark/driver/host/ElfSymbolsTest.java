package dev.panamark.driver.host;

import static dev.panamark.driver.host.TestCompiler.message;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ElfSymbolsTest {

    /** The C standard names these; glibc makes some of them IFUNCs, which are functions too. */
    @Test
    void libmDefinesTheFunctionsOfMathH() throws IOException {
        Optional<Path> libm = Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .filter(l -> l.matches(".*/libm[.-][^/]*"))
                .map(l -> Path.of(l.substring(l.indexOf('/'))))
                .findFirst();
        Assumptions.assumeTrue(libm.isPresent(), "this VM has no libm mapped, as with musl");
        List<String> functions = ElfSymbols.functions(libm.get());
        for (String name : List.of("sin", "cosf", "exp", "fma", "sqrt", "lgamma_r", "nexttoward")) {
            assertTrue(functions.contains(name), name);
        }
        assertFalse(functions.contains("malloc"), "libm only needs it");
        assertFalse(functions.contains("signgam"), "a variable");
    }

    @Test
    void anExecutableOfAnotherKindIsRefused(@TempDir Path folder) throws IOException {
        byte[] header = new byte[64];
        header[0] = 0x7f;
        header[1] = 'E';
        header[2] = 'L';
        header[3] = 'F';
        header[4] = 1; // 32 bits
        header[5] = 1;
        header[16] = 3;
        Path file = Files.write(folder.resolve("old.so"), header);
        HostLibraryException e = assertThrows(HostLibraryException.class, () -> ElfSymbols.functions(file));
        assertTrue(message(e).contains("not a 64-bit little-endian shared object"));
    }
}
