package dev.panamark.telemetry;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one meter counted in one window, or why nothing.
 *
 * @param stretches of the window, each from one tick to a later one, without gaps; empty exactly when there is a fault
 * @param edge s by which the time between its two outer ticks is unsure (one standard deviation)
 * @param fault why there is nothing
 */
record Window(
        List<Stretch> stretches, double edge, @Nullable String fault) {
    Window {
        stretches = List.copyOf(stretches);
    }

    /**
     * From one tick to another.
     *
     * @param seconds between them
     * @param joules counted meanwhile
     * @param launches that ended meanwhile, with fractions at both ends; 0 when nothing was launched
     */
    record Stretch(double seconds, double joules, double launches) {
        double watts() {
            return joules / seconds;
        }
    }

    static Window failed(String fault) {
        return new Window(List.of(), 0, fault);
    }

    double seconds() {
        return stretches.stream().mapToDouble(Stretch::seconds).sum();
    }

    double joules() {
        return stretches.stream().mapToDouble(Stretch::joules).sum();
    }

    double launches() {
        return stretches.stream().mapToDouble(Stretch::launches).sum();
    }

    double watts() {
        return joules() / seconds();
    }
}
