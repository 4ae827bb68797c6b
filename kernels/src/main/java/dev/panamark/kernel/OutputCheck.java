package dev.panamark.kernel;

import java.util.OptionalDouble;

/**
 * How one output is accepted.
 *
 * @param rule which rule
 * @param atol largest absolute difference; 0 or more
 * @param rtol largest difference relative to the expected magnitude; 0 or more
 * @param base of logarithms, for a log-sum-exp: "e" or "2"
 * @param empty value expected for a row without keys, where the kernel file says one
 */
public record OutputCheck(Rule rule, double atol, double rtol, String base, OptionalDouble empty) {

    /** The rules. */
    public enum Rule {
        /** Every bit as expected. */
        EXACT("exact"),
        /** {@code |got - want| <= atol + rtol * |want|} for every element. */
        CLOSE("close"),
        /**
         * {@code max |got - want| <= 2 * max |plain - want| + atol}, where plain is the same formula computed in the
         * output's own precision (the rule of FlashAttention's tests).
         */
        TWICE_NATIVE("twice-native"),
        /**
         * {@code 1 - 2 got.want / (got.got + want.want) <= rtol}: never below {@code 1 - cosine(got, want)}, and unlike
         * it sees an output that is right but for a factor.
         */
        COSINE("cosine");

        private final String tag;

        Rule(String tag) {
            this.tag = tag;
        }

        /** The name in kernel files. */
        public String tag() {
            return tag;
        }
    }
}
