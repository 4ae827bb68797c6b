package dev.panamark.ptx.check;

import dev.panamark.ptx.KernelFault;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** What was found by all threads of the host, each kind at each pair of instructions once. */
final class Findings {
    /** More than a person reads; beyond, only what is known already is counted. */
    private static final int MOST = 1000;

    private final Map<Key, Noted> all = new LinkedHashMap<>();

    /** What is told once: a kind of fault at a pair of lines. */
    record Key(String kernel, String kind, String line, String other) {}

    private record Noted(Finding first, LongAdder count) {}

    /** What counts the ones like it; the first is described. */
    synchronized LongAdder of(Key key, Supplier<Finding> first) {
        Noted noted = all.get(key);
        if (noted == null) {
            noted = new Noted(first.get(), new LongAdder());
            if (all.size() < MOST) {
                all.put(key, noted);
            }
        }
        return noted.count();
    }

    /** In the order in which they were seen first. */
    synchronized List<Finding> all() {
        List<Finding> out = new ArrayList<>();
        for (Noted noted : all.values()) {
            Finding f = noted.first();
            out.add(new Finding(
                    f.check(),
                    f.kind(),
                    f.text(),
                    f.place(),
                    f.other(),
                    noted.count().sum()));
        }
        return out;
    }

    /** A launch ended with a fault. */
    void add(KernelFault fault, Check check, String kind) {
        KernelFault.Place place = fault.place();
        String kernel = place == null ? "" : place.kernel();
        String line = place == null ? "" : "line " + place.line();
        of(
                        new Key(kernel, kind, line, ""),
                        () -> new Finding(check, kind, String.valueOf(fault.getMessage()), place, null, 1))
                .increment();
    }
}
