package dev.panamark.ptx.runtime;

import dev.panamark.ptx.ir.Action;

/** What the runtime does for one lane; for compiled code. */
public final class Actions {
    /** How many arguments every action is given; those that it does not have are 0. */
    public static final int ARGUMENTS = 3;

    private static final Action[] ACTIONS = Action.values();

    private Actions() {}

    /**
     * Does it.
     *
     * @param action its number
     * @return the bits of its result; 0 without one
     */
    public static long run(Warp warp, int lane, int site, int action, long a, long b, long c) {
        switch (ACTIONS[action]) {
            case COMMIT_COPIES -> warp.copies.commit(lane);
            case AWAIT_GROUPS -> warp.copies.await(warp, lane, a);
            case AWAIT_COPIES -> warp.copies.finish(warp, 1 << lane);
        }
        return 0;
    }
}
