package dev.panamark.ptx.runtime;

/** The module {@code jdk.incubator.vector}, which a JVM has where it was started with {@code --add-modules}. */
public final class VectorModule {
    private static final int LEAST = 4;

    /** Lanes of a warp. */
    private static final int MOST = 32;

    private VectorModule() {}

    /** Values of 32 bits that a vector of this machine holds, 4 to 32; 0 where there are no vectors. */
    public static int lanes() {
        try {
            Class<?> vectors = Class.forName("jdk.incubator.vector.IntVector");
            Object species = vectors.getField("SPECIES_PREFERRED").get(null);
            int lanes = (int) Class.forName("jdk.incubator.vector.VectorSpecies")
                    .getMethod("length")
                    .invoke(species);
            return lanes < LEAST || lanes > MOST ? 0 : lanes;
        } catch (ReflectiveOperationException e) {
            return 0;
        }
    }
}
