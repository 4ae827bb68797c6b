package dev.panamark.ptx.analyze;

import dev.panamark.ptx.ir.Type;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The modifiers of an instruction that are not yet understood, in order. */
final class Modifiers {
    private final List<String> left;

    Modifiers(List<String> all) {
        left = new ArrayList<>(all);
    }

    boolean take(String modifier) {
        return left.remove(modifier);
    }

    /** Whichever of these comes first; empty for none. */
    String any(String... choices) {
        for (String modifier : left) {
            for (String choice : choices) {
                if (modifier.equals(choice)) {
                    left.remove(modifier);
                    return choice;
                }
            }
        }
        return "";
    }

    /** Takes all that begin so. */
    void skip(String... prefixes) {
        left.removeIf(modifier -> {
            for (String prefix : prefixes) {
                if (modifier.startsWith(prefix)) {
                    return true;
                }
            }
            return false;
        });
    }

    /** The next type; null for none. */
    @Nullable
    Type type() {
        for (String modifier : left) {
            Type type = Type.of(modifier);
            if (type != null) {
                left.remove(modifier);
                return type;
            }
        }
        return null;
    }

    /** Those not understood, with dots. */
    String rest() {
        return left.isEmpty() ? "" : "." + String.join(".", left);
    }
}
