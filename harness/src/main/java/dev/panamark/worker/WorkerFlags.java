package dev.panamark.worker;

import java.util.List;

/**
 * What a worker JVM is started with; a result records it, as it bears on times. Those of emulated devices, which have none, get
 * {@link dev.panamark.ptx.JvmFlags} as well.
 */
public final class WorkerFlags {
    private WorkerFlags() {}

    /**
     * Fixed heap, so that it does not grow while a row is sampled; the stack that C programs have, as kernels run on
     * the worker's threads; large methods compiled too; rounding and denormals as Java has them, whatever a kernel (or
     * -ffast-math) sets; no core file of a
     * crash, which the crash report explains better.
     */
    public static List<String> all() {
        return List.of(
                "-Xms1g",
                "-Xmx1g",
                "-Xss8m",
                "-XX:+UseSerialGC",
                "-XX:-DontCompileHugeMethods",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:-UsePerfData",
                "-XX:+RestoreMXCSROnJNICalls",
                "--enable-native-access=ALL-UNNAMED");
    }
}
