package dev.panamark.device;

import dev.panamark.finding.Explanation;

/** Says what holds launches back. */
public interface LaunchExplainer {
    /**
     * Runs launches and says so.
     *
     * @throws DeviceException where one of them fails
     */
    Explanation explain(Runnable launches);
}
