package dev.panamark.driver.cupti;

/** A chip does not have a metric, or it cannot be collected by this name. */
public final class UnknownMetricException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String metric;

    /** With what a person should read. */
    UnknownMetricException(String metric, String message) {
        super(message);
        this.metric = metric;
    }

    /** The name that is not one. */
    public String metric() {
        return metric;
    }
}
