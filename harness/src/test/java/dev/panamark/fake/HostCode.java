package dev.panamark.fake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.panamark.driver.host.HostCompiler;
import java.nio.file.Files;
import java.nio.file.Path;

/** Shared objects of host code that calls a fake driver. */
final class HostCode {
    private HostCode() {}

    /**
     * Builds one of a C source.
     *
     * @param driver library whose functions it calls
     */
    static void build(Path made, String driver, String source) throws Exception {
        HostCompiler compiler = HostCompiler.find(System.getenv()).orElseThrow(IllegalStateException::new);
        Path file = Files.writeString(made.resolveSibling("launch.c"), source);
        Process cc = new ProcessBuilder(
                        compiler.path().toString(), "-shared", "-fPIC", "-o", made.toString(), file.toString(), driver)
                .inheritIO()
                .start();
        assertEquals(0, cc.waitFor());
    }
}
