package dev.panamark.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class BudgetTest {
    private final FakeClock clock = new FakeClock();

    @Test
    void keepsFourPerCentInReserve() {
        assertEquals(9.6, new Budget(clock, 10).left(), 1e-6);
    }

    @Test
    void andThreeSecondsAtMost() {
        assertEquals(97, new Budget(clock, 100).left(), 1e-6);
    }

    @Test
    void whatARowDoesNotUseGoesToThoseAfterIt() {
        Budget budget = new Budget(clock, 100);
        assertEquals(24.25, budget.share(4, 0).orElseThrow(), 1e-6);
        clock.advance(1);
        assertEquals(32, budget.share(3, 0).orElseThrow(), 1e-6);
        clock.advance(50);
        assertEquals(23, budget.share(2, 0).orElseThrow(), 1e-6);
    }

    @Test
    void whatIsKeptForOthersIsNotShared() {
        Budget budget = new Budget(clock, 100);
        assertEquals(28.5, budget.share(2, 40).orElseThrow(), 1e-6); // (97 - 40) / 2
        clock.advance(56.96);
        assertTrue(budget.share(1, 40).isEmpty());
        assertEquals(40.04, budget.share(1, 0).orElseThrow(), 1e-6);
    }

    @Test
    void manyRowsGetNoLessThanARowNeeds() {
        Budget budget = new Budget(clock, 10);
        assertEquals(0.05, budget.share(1000, 0).orElseThrow());
    }

    @Test
    void isSpentWhenNoRowCouldBeMeasuredInWhatIsLeft() {
        Budget budget = new Budget(clock, 10);
        clock.advance(9.54);
        assertEquals(0.06, budget.share(1, 0).orElseThrow(), 1e-6);
        clock.advance(0.02);
        assertTrue(budget.share(1, 0).isEmpty());
        clock.advance(100);
        assertEquals(0, budget.left());
        assertTrue(budget.share(1, 0).isEmpty());
    }
}
