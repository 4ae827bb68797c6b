package dev.panamark.ptx.runtime;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the threads of a launch print: for a sink, or kept. Threads may print at the same time. */
final class Output {
    /** Characters that are kept. */
    private static final int MOST = 64 * 1024;

    private final @Nullable Consumer<String> sink;
    private final StringBuilder kept = new StringBuilder();
    private long dropped;

    Output(@Nullable Consumer<String> sink) {
        this.sink = sink;
    }

    synchronized void print(String text) {
        if (sink != null) {
            sink.accept(text);
            return;
        }
        int room = Math.min(text.length(), MOST - kept.length());
        kept.append(text, 0, room);
        dropped += text.length() - room;
    }

    /** What was kept, and how much was not. */
    synchronized String text() {
        return dropped == 0
                ? kept.toString()
                : kept + "\n[" + dropped + " characters more were printed and not kept]\n";
    }
}
