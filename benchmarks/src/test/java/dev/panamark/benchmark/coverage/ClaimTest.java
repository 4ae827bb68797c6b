package dev.panamark.benchmark.coverage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClaimTest {
    private static String judge(Claim claim, int hits, int runs) {
        Claim.Judgement judgement = claim.judge(new Share(hits, runs));
        return judgement.words() + (judgement.missed() ? " !" : "");
    }

    /**
     * By hand, of 2,000 runs: two standard errors are 2 sqrt(0.93 * 0.07 / 2000) = 1.141 % at the lower end and 2 sqrt(0.97 *
     * 0.03 / 2000) = 0.763 % at the upper, so 91.859 % to 97.763 % or 1,838 to 1,955 runs are within the error.
     */
    @ParameterizedTest
    @CsvSource({
        "1837, MISSED: 91.9 % instead of 93 to 97 % !",
        "1838, reached",
        "1955, reached",
        "1956, MISSED: 97.8 % instead of 93 to 97 % !"
    })
    void aClaimIsMissedBeyondTwoStandardErrors(int hits, String want) {
        assertEquals(want, judge(Claim.holds(), hits, 2000));
    }

    @ParameterizedTest
    @CsvSource({
        "1837, MISSED: 91.9 % instead of 93 to 97 % !",
        "1900, reached",
        "1956, 'exceeded, because drift is wide'"
    })
    void whatMayExceedSaysSo(int hits, String want) {
        assertEquals(want, judge(Claim.holds().orMore("drift is wide"), hits, 2000));
    }

    @ParameterizedTest
    @CsvSource({"1700, 'not reached, because few'", "1900, 'reached this time, but not claimed, because few'"})
    void whatIsNotClaimedIsNeverMissed(int hits, String want) {
        assertEquals(want, judge(Claim.holds().butNot("few"), hits, 2000));
    }

    /** 2 sqrt(0.05 * 0.95 / 2000) = 0.975 %; 2 sqrt(0.9 * 0.1 / 2000) = 1.342 %. */
    @ParameterizedTest
    @CsvSource({"119, reached", "120, MISSED: 6.0 % instead of 0 to 5 % !"})
    void atMost(int hits, String want) {
        assertEquals(want, judge(Claim.atMost(0.05), hits, 2000));
    }

    @ParameterizedTest
    @CsvSource({"1774, reached", "1772, MISSED: 88.6 % instead of 90 to 100 % !", "2000, reached"})
    void atLeast(int hits, String want) {
        assertEquals(want, judge(Claim.atLeast(0.9), hits, 2000));
    }
}
