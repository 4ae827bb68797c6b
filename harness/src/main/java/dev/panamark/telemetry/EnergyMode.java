package dev.panamark.telemetry;

import java.util.Locale;

/** How much time goes into the energy of a row. */
public enum EnergyMode {
    /** No energy. */
    OFF(0, 0, 0, 0),
    /** One window, and one idle window a device: no net energy. */
    QUICK(1, 20, 1, 0.25),
    /** Ten windows between two idle windows. */
    SCREEN(5, 50, 10, 1),
    /** Ten long windows between two idle windows. */
    PUBLISH(60, 50, 10, 1);

    /** A window of fewer updates gives no figure at all. */
    static final int FEWEST_UPDATES = 10;

    /** s in which the update periods of most meters are known. */
    private static final double CALIBRATING = 0.2;

    /** s in which power has come to rest after a load, mostly. */
    private static final double REST = 2;

    private final double seconds;
    private final int updates;
    private final int trials;
    private final double settle;

    EnergyMode(double seconds, int updates, int trials, double settle) {
        this.seconds = seconds;
        this.updates = updates;
        this.trials = trials;
        this.settle = settle;
    }

    /** s of all windows of a row under load, with meters that update so often that they do not make them longer. */
    double windowSeconds() {
        return trials * seconds;
    }

    /** s that the energy of a row takes with such meters, idle windows that belong to it and settling included. */
    public double rowSeconds() {
        return trials * (seconds + settle) + (trials > 1 ? 2 * (seconds + REST) : 0);
    }

    /** s that update periods, and the idle window that rows share, take once. */
    double deviceSeconds() {
        return CALIBRATING + (trials == 1 ? seconds + REST : 0);
    }

    /** s after which power counts as restless: a quick row has little more for all of its energy. */
    double longestRest() {
        return trials == 1 ? 5 : 15;
    }

    /** The name on the command line and in messages. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * How long a window is, s.
     *
     * @param response s until a change of power shows in full: the update period, or what the meter averages over
     */
    double window(double response) {
        return Math.max(seconds, updates * response);
    }

    /** How many windows under load. */
    int trials() {
        return trials;
    }

    /** s that the load runs before a window may begin: sensors that average need 0.9 s to rise, clocks and heat longer. */
    double settle(double response) {
        return Math.max(settle, 2 * response);
    }
}
