package dev.panamark.ptx.count;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;

/**
 * Finds layouts of shared memory without bank conflicts. Accesses that overlap are taken to belong to one array; the length of
 * its rows is guessed from the distances between lanes that conflict, and each layout is tried by counting all accesses to
 * the array again, so that a guess that does not help is not told. Of one thread.
 */
final class BankAdvice {
    private static final int BANKS = 32;
    private static final int WORD = 4;
    private static final int ALL_BANKS = BANKS * WORD;
    private static final int SHOWN = 4;

    /** Lengths of rows that are tried. */
    private static final int MOST_ROWS = 12;

    private final SharedRule rule = new SharedRule();
    private final boolean pairing;

    /** How often a block made an access. */
    record Counted(AccessPatterns.Pattern pattern, long count) {}

    /** An array: the accesses to it and where it is. */
    private record Array(List<Counted> all, long first, long last) {}

    private record Cost(long wavefronts, long ideal) {
        long excess() {
            return wavefronts - ideal;
        }
    }

    BankAdvice(boolean pairing) {
        this.pairing = pairing;
    }

    List<BankConflicts> of(List<Counted> all) {
        List<BankConflicts> out = new ArrayList<>();
        for (Array array : arrays(all)) {
            long excess = excess(array, LongUnaryOperator.identity());
            if (excess > 0) {
                out.addAll(lines(array, remedies(array, excess)));
            }
        }
        out.sort(Comparator.comparingLong(BankConflicts::excess).reversed());
        return out;
    }

    /** Instructions whose accesses overlap belong together. */
    private static List<Array> arrays(List<Counted> all) {
        Map<String, List<Counted>> bySite = new LinkedHashMap<>();
        for (Counted one : all) {
            String key = one.pattern().kernel() + " " + one.pattern().site().index();
            bySite.computeIfAbsent(key, k -> new ArrayList<>()).add(one);
        }
        Map<String, List<Array>> byKernel = new LinkedHashMap<>();
        for (List<Counted> ofSite : bySite.values()) {
            long first = Long.MAX_VALUE;
            long last = Long.MIN_VALUE;
            for (Counted one : ofSite) {
                for (int lane : lanes(one.pattern().mask())) {
                    long address = one.pattern().addresses()[lane];
                    first = Math.min(first, address);
                    last = Math.max(last, address + one.pattern().bytes());
                }
            }
            byKernel.computeIfAbsent(ofSite.getFirst().pattern().kernel(), k -> new ArrayList<>())
                    .add(new Array(ofSite, first, last));
        }
        List<Array> out = new ArrayList<>();
        for (List<Array> parts : byKernel.values()) {
            parts.sort(Comparator.comparingLong(Array::first));
            Array open = null;
            for (Array part : parts) {
                if (open != null && part.first() < open.last()) {
                    List<Counted> both = new ArrayList<>(open.all());
                    both.addAll(part.all());
                    open = new Array(both, open.first(), Math.max(open.last(), part.last()));
                } else {
                    if (open != null) {
                        out.add(open);
                    }
                    open = part;
                }
            }
            if (open != null) {
                out.add(open);
            }
        }
        return out;
    }

    private static int[] lanes(int mask) {
        int[] lanes = new int[Integer.bitCount(mask)];
        int i = 0;
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            lanes[i++] = Integer.numberOfTrailingZeros(rest);
        }
        return lanes;
    }

    private Cost cost(AccessPatterns.Pattern pattern, LongUnaryOperator layout) {
        long[] moved = new long[BANKS];
        for (int lane : lanes(pattern.mask())) {
            moved[lane] = layout.applyAsLong(pattern.addresses()[lane]);
        }
        rule.count(moved, 0, pattern.mask(), pattern.bytes(), pairing && pattern.mayPair());
        return new Cost(rule.wavefronts(), rule.ideal());
    }

    private long excess(Array array, LongUnaryOperator layout) {
        long sum = 0;
        for (Counted one : array.all()) {
            sum += one.count() * cost(one.pattern(), layout).excess();
        }
        return sum;
    }

    private List<BankConflicts.Remedy> remedies(Array array, long before) {
        int widest = array.all().stream()
                .mapToInt(one -> one.pattern().bytes())
                .max()
                .orElse(WORD);
        int unit = Math.max(WORD, widest);
        List<BankConflicts.Remedy> pads = new ArrayList<>();
        List<BankConflicts.Remedy> swizzles = new ArrayList<>();
        for (int row : rows(array, unit)) {
            for (int pad = unit; pad <= ALL_BANKS; pad += unit) {
                int bytes = pad;
                long after = excess(array, a -> a + (a - array.first()) / row * bytes);
                pads.add(new BankConflicts.Remedy(row, pad, 0, 0, 0, before, after));
                if (after == 0) {
                    break;
                }
            }
            int pieces = row / unit;
            if (Integer.bitCount(row) == 1 && pieces > 1) {
                int period = Math.min(pieces, Math.max(2, ALL_BANKS / unit));
                for (int repeat = 1; repeat <= BANKS / 4; repeat *= 2) {
                    int each = repeat;
                    long after = excess(array, a -> swizzled(a - array.first(), row, unit, each, period));
                    swizzles.add(new BankConflicts.Remedy(row, 0, unit, repeat, period, before, after));
                }
            }
        }
        List<BankConflicts.Remedy> out = new ArrayList<>();
        best(pads, before).ifPresent(out::add);
        best(swizzles, before).ifPresent(out::add);
        return out;
    }

    /** The place of a byte of an array that begins at a multiple of all banks. */
    private static long swizzled(long at, int row, int piece, int repeat, int period) {
        long number = at % row / piece ^ (at / row / repeat % period);
        return at / row * row + number * piece + at % piece;
    }

    /** That with the fewest conflicts, of these that which adds least. */
    private static Optional<BankConflicts.Remedy> best(List<BankConflicts.Remedy> all, long before) {
        return all.stream()
                .filter(remedy -> remedy.after() < before)
                .min(Comparator.comparingLong(BankConflicts.Remedy::after)
                        .thenComparingDouble(remedy -> (double) remedy.pad() / remedy.rowBytes())
                        .thenComparingInt(BankConflicts.Remedy::repeat));
    }

    /** What rows may be long: distances between lanes next to each other in accesses with conflicts, the most common first. */
    private List<Integer> rows(Array array, int unit) {
        Map<Integer, Long> found = new TreeMap<>();
        for (Counted one : array.all()) {
            AccessPatterns.Pattern pattern = one.pattern();
            if (cost(pattern, LongUnaryOperator.identity()).excess() == 0) {
                continue;
            }
            int[] lanes = lanes(pattern.mask());
            for (int i = 1; i < lanes.length; i++) {
                long distance = Math.abs(pattern.addresses()[lanes[i]] - pattern.addresses()[lanes[i - 1]]);
                if (distance > pattern.bytes() && distance < 1 << 16 && distance % unit == 0) {
                    found.merge((int) distance, one.count(), Long::sum);
                }
            }
        }
        return found.entrySet().stream()
                .sorted(Map.Entry.<Integer, Long>comparingByValue().reversed())
                .map(Map.Entry::getKey)
                .filter(row -> fits(array, row))
                .limit(MOST_ROWS)
                .toList();
    }

    /** Whether no access goes over the end of a row. */
    private static boolean fits(Array array, int row) {
        for (Counted one : array.all()) {
            for (int lane : lanes(one.pattern().mask())) {
                long at = one.pattern().addresses()[lane] - array.first();
                if (at % row + one.pattern().bytes() > row) {
                    return false;
                }
            }
        }
        return true;
    }

    private List<BankConflicts> lines(Array array, List<BankConflicts.Remedy> remedies) {
        Map<String, List<Counted>> byLine = new LinkedHashMap<>();
        for (Counted one : array.all()) {
            String kind = one.pattern().line() + " " + one.pattern().bytes() + " "
                    + one.pattern().load();
            byLine.computeIfAbsent(kind, k -> new ArrayList<>()).add(one);
        }
        List<BankConflicts> out = new ArrayList<>();
        byLine.forEach((key, all) -> {
            String line = all.getFirst().pattern().line();
            long requests = 0;
            long excess = 0;
            long most = 0;
            AccessPatterns.Pattern worst = all.getFirst().pattern();
            for (Counted one : all) {
                long own = cost(one.pattern(), LongUnaryOperator.identity()).excess();
                requests += one.count();
                excess += own * one.count();
                if (own > most) {
                    most = own;
                    worst = one.pattern();
                }
            }
            if (excess > 0) {
                Set<String> others = new LinkedHashSet<>();
                array.all().forEach(one -> others.add(one.pattern().line()));
                others.remove(line);
                List<BankConflicts.Bank> banks = banks(worst);
                out.add(new BankConflicts(
                        worst.kernel(),
                        line,
                        List.copyOf(others),
                        requests,
                        excess,
                        worst.bytes(),
                        worst.load(),
                        array.first(),
                        array.last(),
                        banks.subList(0, Math.min(SHOWN, banks.size())),
                        Math.max(0, banks.size() - SHOWN),
                        remedies));
            }
        });
        return out;
    }

    /** The banks of an access's worst phase that take the most wavefronts. */
    private static List<BankConflicts.Bank> banks(AccessPatterns.Pattern pattern) {
        int phases = pattern.bytes() <= WORD ? 1 : pattern.bytes() / WORD;
        int each = BANKS / phases;
        List<BankConflicts.Bank> worst = List.of();
        for (int phase = 0; phase < phases; phase++) {
            int part = pattern.mask() & (each == BANKS ? -1 : ((1 << each) - 1) << (phase * each));
            Map<Integer, Set<Long>> words = new TreeMap<>();
            Map<Integer, Integer> lanes = new TreeMap<>();
            for (int lane : lanes(part)) {
                long first = pattern.addresses()[lane] / WORD;
                for (long word = first; word < first + Math.max(1, pattern.bytes() / WORD); word++) {
                    int bank = (int) (word % BANKS);
                    words.computeIfAbsent(bank, k -> new LinkedHashSet<>()).add(word);
                    lanes.merge(bank, 1 << lane, (a, b) -> a | b);
                }
            }
            int most = words.values().stream().mapToInt(Set::size).max().orElse(0);
            if (worst.isEmpty() || most > worst.getFirst().words()) {
                worst = words.entrySet().stream()
                        .filter(e -> e.getValue().size() == most)
                        .map(e -> new BankConflicts.Bank(e.getKey(), lanes.getOrDefault(e.getKey(), 0), most))
                        .toList();
            }
        }
        return worst;
    }
}
