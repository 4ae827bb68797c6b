package dev.panamark.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import java.net.URL;
import java.net.URLClassLoader;
import org.junit.jupiter.api.Test;

/** Commands that write no JSON must not pay for a JSON library. */
class StartupTest {
    @Test
    void recordsAndTablesNeedNoJackson() throws Exception {
        URL main = Row.class.getProtectionDomain().getCodeSource().getLocation();
        URL tests = Runs.class.getProtectionDomain().getCodeSource().getLocation();
        // Nothing but the JDK and this module: any use of a library fails to link.
        try (URLClassLoader alone = new URLClassLoader(new URL[] {main, tests}, ClassLoader.getPlatformClassLoader())) {
            assertThrows(ClassNotFoundException.class, () -> alone.loadClass("com.fasterxml.jackson.core.JsonFactory"));
            var realistic = alone.loadClass(Runs.class.getName()).getDeclaredMethod("realistic");
            realistic.setAccessible(true);
            Object run = realistic.invoke(null);
            Object text = alone.loadClass(ConsoleTable.class.getName())
                    .getMethod("render", alone.loadClass(RunResult.class.getName()), int.class, boolean.class)
                    .invoke(null, run, 120, false);
            assertEquals(ConsoleTable.render(Runs.realistic(), 120, false), text);
        }
    }
}
