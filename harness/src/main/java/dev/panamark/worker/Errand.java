package dev.panamark.worker;

import com.fasterxml.jackson.annotation.JsonProperty;

/** What a worker is to do with the rows that it is given. */
enum Errand {
    /** Check and time them. */
    @JsonProperty("measure")
    MEASURE,
    /** Read the hardware's counters while they run. */
    @JsonProperty("count")
    COUNT,
    /** Run them while somebody else reads the counters. */
    @JsonProperty("launch")
    LAUNCH
}
