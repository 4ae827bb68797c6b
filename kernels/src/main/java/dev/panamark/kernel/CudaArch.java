package dev.panamark.kernel;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An architecture that PTX is made for: {@code sm_89}, which later ones run too; {@code sm_90a}, which is for no other; {@code sm_100f},
 * which later ones of the same family run (PTX ISA, ".target": suffixes a and f).
 *
 * @param capability ten times the major plus the minor compute capability: 89
 * @param suffix {@code ""}, {@code "a"} or {@code "f"}
 */
public record CudaArch(int capability, String suffix) {
    private static final Pattern WRITTEN = Pattern.compile("sm_([0-9]{2,3})([af]?)");

    private static final int FAMILY = 10;
    private static final int FIRST_FAMILY = 100;

    /** {@code sm_90a}, or empty for something else. */
    public static Optional<CudaArch> of(String written) {
        Matcher found = WRITTEN.matcher(written);
        // PTX ISA 8.8: families begin with sm_100.
        return found.matches() && (!found.group(2).equals("f") || Integer.parseInt(found.group(1)) >= FIRST_FAMILY)
                ? Optional.of(new CudaArch(Integer.parseInt(found.group(1)), found.group(2)))
                : Optional.empty();
    }

    /** Whether a GPU of this compute capability runs what is made for this architecture. */
    public boolean runsOn(int device) {
        return switch (suffix) {
            case "a" -> device == capability;
            case "f" -> device >= capability && device / FAMILY == capability / FAMILY;
            default -> device >= capability;
        };
    }

    /** Of what runs it: {@code sm_89 or newer}. */
    public String runners() {
        return switch (suffix) {
            case "a" -> this + ", which sm_" + capability + " runs and no other";
            case "f" -> this + ", which sm_" + capability + " and newer ones of its family run";
            default -> "sm_" + capability + " or newer";
        };
    }

    /** What to compile for, for a device whose own architecture is {@code device}: that, unless only this will do. */
    public String target(String device) {
        return suffix.isEmpty() ? device : toString();
    }

    @Override
    public String toString() {
        return "sm_" + capability + suffix;
    }
}
