package dev.panamark.ptx.check;

import dev.panamark.ptx.ir.Site;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Who came to the barriers of a block, and whether all of a warp came together and all warps to one place. */
final class BarrierWatch {
    private static final int BARRIERS = 16;

    private final List<List<Arrival>> arrivals = new ArrayList<>();

    /**
     * Lanes that came to a barrier together.
     *
     * @param lanes a bit each
     * @param aligned whether PTX wants all of the warp to come together
     * @param alone whether lanes of the warp were let go on alone before, because others waited for them: that they come apart
     *     says nothing then
     */
    record Arrival(int warp, int lanes, Site site, boolean aligned, boolean alone) {}

    /** Is told what is wrong. */
    interface Faults {
        void apart(Arrival first, Arrival second);

        void atOthers(Arrival first, Arrival second);
    }

    BarrierWatch() {
        for (int i = 0; i < BARRIERS; i++) {
            arrivals.add(new ArrayList<>());
        }
    }

    void start() {
        arrivals.forEach(List::clear);
    }

    void arrive(int barrier, Arrival arrival) {
        arrivals.get(barrier).add(arrival);
    }

    /**
     * All that a barrier waited for have come.
     *
     * @param ofAll whether these are all threads of the block, which are to come to one place; those that hand on work to others
     *     come to theirs
     */
    void complete(int barrier, boolean ofAll, Faults faults) {
        List<Arrival> all = arrivals.get(barrier);
        Map<Integer, Arrival> firsts = new LinkedHashMap<>();
        for (Arrival arrival : all) {
            Arrival first = firsts.putIfAbsent(arrival.warp(), arrival);
            if (first != null && (first.aligned() || arrival.aligned()) && !first.alone() && !arrival.alone()) {
                boolean turned = !first.aligned();
                faults.apart(turned ? arrival : first, turned ? first : arrival);
            }
        }
        Arrival one = all.isEmpty() ? null : all.getFirst();
        for (Arrival other : firsts.values()) {
            if (ofAll && one != null && !other.site().where().equals(one.site().where())) {
                faults.atOthers(other, one);
            }
        }
        all.clear();
    }
}
