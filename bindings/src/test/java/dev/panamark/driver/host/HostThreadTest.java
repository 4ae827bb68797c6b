package dev.panamark.driver.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class HostThreadTest {

    /** /proc names the same processors, in words: "Cpus_allowed_list: 0-1". */
    private static String allowedByProc() throws Exception {
        return Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
                .filter(l -> l.startsWith("Cpus_allowed_list:"))
                .findFirst()
                .orElseThrow()
                .split(":", 2)[1]
                .strip();
    }

    @Test
    void allowedProcessorsAreThoseOfProc() throws Exception {
        List<Integer> allowed = HostThread.allowed();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < allowed.size(); i++) {
            int from = i;
            while (i + 1 < allowed.size() && allowed.get(i + 1) == allowed.get(i) + 1) {
                i++;
            }
            text.append(text.isEmpty() ? "" : ",").append(allowed.get(from));
            if (i > from) {
                text.append('-').append(allowed.get(i));
            }
        }
        assertEquals(allowedByProc(), text.toString());
    }

    /** In a thread of its own, which ends with its pinning. */
    @Test
    void pinningIsSeenByTheSystem() throws Exception {
        int last = HostThread.allowed().getLast();
        FutureTask<String> pinned = new FutureTask<>(() -> {
            HostThread.bind(List.of(last));
            return allowedByProc();
        });
        Thread.ofPlatform().start(pinned);
        assertEquals(Integer.toString(last), pinned.get());
    }

    @Test
    void aProcessorThatIsNotThereIsRefusedInWords() {
        HostLibraryException e = assertThrows(HostLibraryException.class, () -> HostThread.bind(List.of(8191)));
        String message = String.valueOf(e.getMessage());
        assertTrue(message.contains("8191") && message.contains("EINVAL"), message);
        assertThrows(IllegalArgumentException.class, () -> HostThread.bind(List.of(-1)));
    }

    /** /proc/self/status counts for one thread, so the sum over /proc/self/task is what getrusage must lie between. */
    @Test
    void switchesAreThoseOfProc() throws Exception {
        HostThread.SwitchCounter counter = new HostThread.SwitchCounter();
        long before = counter.involuntary();
        long proc = 0;
        try (var tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) {
                try {
                    proc += Files.readAllLines(task.resolve("status")).stream()
                            .filter(l -> l.startsWith("nonvoluntary_ctxt_switches:"))
                            .mapToLong(l -> Long.parseLong(l.split(":", 2)[1].strip()))
                            .sum();
                } catch (java.io.IOException e) {
                    // The thread ended while the folder was read; getrusage still counts it.
                }
            }
        }
        long after = counter.involuntary();
        assertTrue(after >= before, before + " then " + after);
        // Ended threads are counted by getrusage only.
        assertTrue(proc <= after, proc + " is more than " + after);
        assertTrue(after > 0 || proc == 0);
    }
}
