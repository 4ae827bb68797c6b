package dev.panamark.ptx;

import java.lang.module.ModuleFinder;
import java.util.List;

/** What a JVM is started with so that kernels that run for long get vectors. Without, they are as right and slower. */
public final class JvmFlags {
    private static final String MODULE = "jdk.incubator.vector";

    /**
     * What a kernel becomes is compiled after fewer calls than other methods, as nearly all the time is spent there: with
     * vectors it is very slow until then, without it makes up most of a first launch.
     */
    private static final String SOON = "-XX:CompileCommand=CompileThresholdScaling,dev.panamark.ptx.";

    private JvmFlags() {}

    /**
     * The flags; none where the JDK of this program, which they are for, lacks the module. A JVM with them begins with a
     * line of warning on its standard error, {@link #WARNING}.
     */
    public static List<String> vectors() {
        return ModuleFinder.ofSystem().find(MODULE).isEmpty()
                ? List.of()
                : List.of(
                        "--add-modules=" + MODULE,
                        "-XX:CompileCommand=quiet",
                        SOON + "compile.generated.Segments*::*,0.15",
                        SOON + "compile.generated.Vectors*::*,0.02",
                        SOON + "runtime.VectorTiles::*,0.02");
    }

    /** What the JVM says then, which is of no use to anybody who reads it. */
    public static final String WARNING = "WARNING: Using incubator modules: " + MODULE;
}
