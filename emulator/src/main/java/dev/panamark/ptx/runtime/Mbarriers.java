package dev.panamark.ptx.runtime;

import dev.panamark.ptx.check.BlockChecker;
import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * Barriers in shared memory, {@code mbarrier} objects, of a block. Each is 64 bits that only these operations understand:
 * whether it is one, the parity of its phase, transactions that are awaited, arrivals that are expected in a phase and that
 * are still pending. The rules are those of the PTX ISA.
 */
final class Mbarriers {
    private static final int BYTES = 8;
    private static final long VALID = 1L << 63;
    private static final long ODD = 1L << 62;
    private static final int COUNT_BITS = 20;
    private static final long MOST = (1L << COUNT_BITS) - 1;
    private static final int EXPECTED_AT = 20;
    private static final int TRANSACTIONS_AT = 40;
    private static final int TRANSACTION_BITS = 21;

    private final ArrayDeque<Deferred> deferred = new ArrayDeque<>();

    /** Grows with all that may let a thread go on. */
    private long changes;

    /** An arrival that comes when a lane's copies up to one of them are done. */
    private record Deferred(Warp warp, int lane, int site, int address, long copies) {}

    /** The fields of a barrier. */
    private record State(boolean odd, long transactions, long expected, long pending) {
        static State of(long bits) {
            long transactions = bits << (64 - TRANSACTIONS_AT - TRANSACTION_BITS) >> (64 - TRANSACTION_BITS);
            return new State((bits & ODD) != 0, transactions, bits >>> EXPECTED_AT & MOST, bits & MOST);
        }

        long bits() {
            long unsigned = transactions & ((1L << TRANSACTION_BITS) - 1);
            return VALID | (odd ? ODD : 0) | unsigned << TRANSACTIONS_AT | expected << EXPECTED_AT | pending;
        }

        /** The next phase where nothing is pending any more. */
        State completed() {
            return pending == 0 && transactions == 0 ? new State(!odd, 0, expected, expected) : this;
        }
    }

    long changes() {
        return changes;
    }

    /** Begins with another block. */
    void clear() {
        deferred.clear();
        changes = 0;
    }

    void init(Warp warp, int lane, int site, long address, long count) {
        int at = place(warp, lane, site, address);
        if (count < 1 || count > MOST) {
            throw warp.undefined(site, lane, count + " arrivals; expected 1 to " + MOST);
        }
        write(warp, at, new State(false, 0, count, count));
        BlockChecker checker = warp.checker();
        if (checker != null) {
            checker.mbarrierInit(warp.index, lane, site, at, BYTES);
        }
    }

    void invalidate(Warp warp, int lane, int site, long address) {
        int at = place(warp, lane, site, address);
        read(warp, lane, site, at);
        Memory.store64(warp.shared, at, 0);
        changes++;
    }

    /**
     * Arrives.
     *
     * @param drop whether later phases expect as many less
     * @return the state before
     */
    long arrive(Warp warp, int lane, int site, long address, long count, boolean drop) {
        int at = place(warp, lane, site, address);
        if (!deferred.isEmpty() && read(warp, lane, site, at).pending() < count) {
            settle(at);
        }
        return arrive(warp, lane, site, at, count, drop);
    }

    private long arrive(Warp warp, int lane, int site, int at, long count, boolean drop) {
        State state = read(warp, lane, site, at);
        if (count < 1 || count > state.pending()) {
            throw warp.undefined(
                    site,
                    lane,
                    count + " arrivals at an mbarrier where " + state.pending() + " of " + state.expected()
                            + " are pending; expected 1 to " + state.pending());
        }
        long expected = state.expected() - (drop ? count : 0);
        State next = new State(state.odd(), state.transactions(), expected, state.pending() - count).completed();
        write(warp, at, next);
        BlockChecker checker = warp.checker();
        if (checker != null) {
            checker.mbarrierUsed(warp.index, lane, site, at, BYTES);
            checker.mbarrierArrives(warp.index, at, next.odd() != state.odd());
        }
        return state.bits();
    }

    /** The same, but the phase must go on. */
    long arriveWithoutEnd(Warp warp, int lane, int site, long address, long count, boolean drop) {
        int at = place(warp, lane, site, address);
        State state = read(warp, lane, site, at);
        if (state.pending() == count && state.transactions() == 0) {
            throw warp.undefined(site, lane, "the last arrival of a phase; expected one that does not complete it");
        }
        return arrive(warp, lane, site, at, count, drop);
    }

    void expect(Warp warp, int lane, int site, long address, long count) {
        transactions(warp, lane, site, address, count, false);
    }

    void complete(Warp warp, int lane, int site, long address, long count) {
        transactions(warp, lane, site, address, -count, true);
    }

    private void transactions(Warp warp, int lane, int site, long address, long count, boolean completes) {
        int at = place(warp, lane, site, address);
        State state = read(warp, lane, site, at);
        long now = state.transactions() + count;
        if (Math.abs(now) > MOST) {
            throw warp.undefined(
                    site, lane, now + " transactions awaited by an mbarrier; expected at most " + MOST + " either way");
        }
        State next = new State(state.odd(), now, state.expected(), state.pending());
        State after = completes ? next.completed() : next;
        write(warp, at, after);
        BlockChecker checker = warp.checker();
        if (checker != null) {
            checker.mbarrierUsed(warp.index, lane, site, at, BYTES);
            if (after.odd() != state.odd()) {
                checker.mbarrierArrives(warp.index, at, true);
            }
        }
    }

    /** Arrives when the copies that a lane has begun are done; counts one more arrival for it if {@code counted}. */
    void arriveLater(Warp warp, int lane, int site, long address, boolean counted) {
        int at = place(warp, lane, site, address);
        State state = read(warp, lane, site, at);
        if (counted) {
            if (state.pending() == MOST) {
                throw warp.undefined(site, lane, "more than " + MOST + " arrivals pending at an mbarrier");
            }
            write(warp, at, new State(state.odd(), state.transactions(), state.expected(), state.pending() + 1));
        }
        deferred.add(new Deferred(warp, lane, site, at, warp.copies.begun(lane)));
    }

    /** Whether the phase is over in which an arrival returned {@code state}. */
    boolean isOver(Warp warp, int lane, int site, long address, long state) {
        return isOver(warp, lane, site, address, (state & ODD) != 0);
    }

    /** Whether the phase of that parity is over, of the current one and the one before. */
    boolean isParityOver(Warp warp, int lane, int site, long address, long parity) {
        if (parity != 0 && parity != 1) {
            throw warp.undefined(site, lane, "phase parity " + parity + "; expected 0 or 1");
        }
        return isOver(warp, lane, site, address, parity == 1);
    }

    private boolean isOver(Warp warp, int lane, int site, long address, boolean odd) {
        int at = place(warp, lane, site, address);
        settle(at);
        boolean over = read(warp, lane, site, at).odd() != odd;
        BlockChecker checker = warp.checker();
        if (checker != null) {
            checker.mbarrierUsed(warp.index, lane, site, at, BYTES);
            if (over) {
                checker.mbarrierPassed(warp.index, at);
            }
        }
        return over;
    }

    /** Arrivals that were pending in a state. */
    static long pending(long state) {
        return State.of(state).pending();
    }

    /** Copies that somebody waits for are done, and arrive. */
    private void settle(int at) {
        for (Iterator<Deferred> all = deferred.iterator(); all.hasNext(); ) {
            Deferred next = all.next();
            if (next.address() == at) {
                all.remove();
                next.warp().copies.run(next.warp(), next.lane(), next.copies());
                arrive(next.warp(), next.lane(), next.site(), at, 1, false);
            }
        }
    }

    private static int place(Warp warp, int lane, int site, long address) {
        int small = (int) address;
        return Memory.shared(warp, lane, site, small == address ? small : -BYTES, BYTES);
    }

    private static State read(Warp warp, int lane, int site, int at) {
        long bits = Memory.load64(warp.shared, at);
        if ((bits & VALID) == 0) {
            throw warp.undefined(
                    site,
                    lane,
                    "no mbarrier at shared address 0x" + Integer.toHexString(at) + "; expected mbarrier.init before");
        }
        return State.of(bits);
    }

    private void write(Warp warp, int at, State state) {
        Memory.store64(warp.shared, at, state.bits());
        changes++;
    }
}
