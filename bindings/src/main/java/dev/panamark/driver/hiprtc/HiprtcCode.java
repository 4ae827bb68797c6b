package dev.panamark.driver.hiprtc;

/** What a compilation made. */
public final class HiprtcCode {
    private final byte[] code;
    private final String log;

    HiprtcCode(byte[] code, String log) {
        this.code = code;
        this.log = log;
    }

    /** The code object's bytes, a copy. */
    public byte[] code() {
        return code.clone();
    }

    /** What the compiler wrote, warnings among that; empty where it wrote nothing. */
    public String log() {
        return log;
    }
}
