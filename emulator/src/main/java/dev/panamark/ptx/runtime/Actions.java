package dev.panamark.ptx.runtime;

import dev.panamark.ptx.ir.Action;

/** What the runtime does for one lane; for compiled code. */
public final class Actions {
    /** How many arguments every action is given; those that it does not have are 0. */
    public static final int ARGUMENTS = 4;

    private static final Action[] ACTIONS = Action.values();

    private Actions() {}

    /**
     * Does it.
     *
     * @param action its number
     * @return the bits of its result; 0 without one
     */
    public static long run(Warp warp, int lane, int site, int action, long a, long b, long c, long d) {
        Mbarriers mbarriers = warp.mbarriers();
        long count = b & 0xffffffffL;
        switch (ACTIONS[action]) {
            case COMMIT_COPIES -> warp.copies.commit(lane);
            case AWAIT_GROUPS -> warp.copies.await(warp, lane, a);
            case AWAIT_COPIES -> warp.copies.finish(warp, 1 << lane);
            case INIT -> mbarriers.init(warp, lane, site, a, count);
            case INVALIDATE -> mbarriers.invalidate(warp, lane, site, a);
            case ARRIVE -> {
                return mbarriers.arrive(warp, lane, site, a, count, false);
            }
            case DROP -> {
                return mbarriers.arrive(warp, lane, site, a, count, true);
            }
            case ARRIVE_WITHOUT_END -> {
                return mbarriers.arriveWithoutEnd(warp, lane, site, a, count, false);
            }
            case DROP_WITHOUT_END -> {
                return mbarriers.arriveWithoutEnd(warp, lane, site, a, count, true);
            }
            case ARRIVE_WITH_COPIES -> mbarriers.arriveLater(warp, lane, site, a, false);
            case ARRIVE_MORE_WITH_COPIES -> mbarriers.arriveLater(warp, lane, site, a, true);
            case EXPECT_TRANSACTIONS -> mbarriers.expect(warp, lane, site, a, count);
            case COMPLETE_TRANSACTIONS -> mbarriers.complete(warp, lane, site, a, count);
            case TEST_STATE -> {
                return waited(warp, site, mbarriers.isOver(warp, lane, site, a, b));
            }
            case TEST_PARITY -> {
                return waited(warp, site, mbarriers.isParityOver(warp, lane, site, a, count));
            }
            case PENDING -> {
                return Mbarriers.pending(a);
            }
            case PRINT -> {
                return DeviceRuntime.print(warp, lane, site, a, b);
            }
            case ALLOCATE -> {
                return DeviceRuntime.allocate(warp, a);
            }
            case FREE -> DeviceRuntime.free(warp, lane, site, a);
            case FAIL_ASSERTION -> DeviceRuntime.failAssertion(warp, lane, site, a, b, c, (int) d);
        }
        return 0;
    }

    /** Who waits in vain gives way to those who are waited for. */
    private static int waited(Warp warp, int site, boolean over) {
        if (!over) {
            warp.pause(site);
        }
        return over ? 1 : 0;
    }
}
