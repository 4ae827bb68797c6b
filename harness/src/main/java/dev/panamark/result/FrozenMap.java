package dev.panamark.result;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An ordered map that never changes. Maps with the same keys in the same order may share these, and are then an array of
 * values each: a result of 100,000 rows holds a million maps of some twenty kinds.
 */
@SuppressWarnings("ReferenceEquality") // shared objects are told apart by what they are
final class FrozenMap<V> extends AbstractMap<String, V> implements SequencedMap<String, V> {

    /** Keys in order; all different. */
    static final class Names {
        private final List<String> list;
        private final Map<String, Integer> places;

        Names(List<String> names) {
            this.list = List.copyOf(names);
            this.places = HashMap.newHashMap(names.size());
            for (int i = 0; i < list.size(); i++) {
                places.put(list.get(i), i);
            }
            if (places.size() != list.size()) {
                throw new IllegalArgumentException("a key stands there twice: " + names);
            }
        }
    }

    private static final FrozenMap<?> EMPTY = new FrozenMap<>(new Names(List.of()), new Object[0], true);

    private final Names names;
    private final Object[] values;
    private final boolean json;

    private FrozenMap(Names names, Object[] values, boolean json) {
        this.names = names;
        this.values = values;
        this.json = json;
    }

    /** The map of nothing. */
    @SuppressWarnings("unchecked") // it has no values
    static <V> FrozenMap<V> empty() {
        return (FrozenMap<V>) EMPTY;
    }

    /** A map of values that are immutable themselves; the array is not copied. */
    static <V> FrozenMap<V> of(Names names, Object[] values) {
        return new FrozenMap<>(names, values, false);
    }

    /** A map of JSON values, as {@link JsonValues} makes them; the array is not copied. */
    static FrozenMap<Object> ofJson(Names names, Object[] values) {
        return values.length == 0 ? empty() : new FrozenMap<>(names, values, true);
    }

    /** A copy of a map of immutable values that has no null; the map itself where it is such a copy already. */
    static <V> FrozenMap<V> copyOf(SequencedMap<String, V> map) {
        return map instanceof FrozenMap<V> frozen
                ? frozen
                : of(new Names(List.copyOf(map.keySet())), map.values().toArray());
    }

    /** Whether it is known to hold JSON values alone. */
    boolean holdsJson() {
        return json;
    }

    /** Whether the other has the same keys in the same order with the same values, as {@link #isSame} says. */
    boolean isTwinOf(FrozenMap<?> other) {
        if (names != other.names) {
            return false;
        }
        for (int i = 0; i < values.length; i++) {
            if (!isSame(values[i], other.values[i])) {
                return false;
            }
        }
        return true;
    }

    /** Equal, and for maps and lists the same object: equal maps may have their keys in another order. */
    static boolean isSame(Object a, Object b) {
        return a == b || (!(a instanceof Map) && !(a instanceof Collection) && a.equals(b));
    }

    /** A hash of the values in their order. */
    int valuesHash() {
        return Arrays.hashCode(values);
    }

    @SuppressWarnings("unchecked") // of and ofJson take nothing else
    private V value(int at) {
        return (V) values[at];
    }

    @Override
    public int size() {
        return values.length;
    }

    @Override
    public @Nullable V get(Object key) {
        Integer at = names.places.get(key);
        return at == null ? null : value(at);
    }

    @Override
    public boolean containsKey(Object key) {
        return names.places.containsKey(key);
    }

    @Override
    public void forEach(BiConsumer<? super String, ? super V> action) {
        for (int i = 0; i < values.length; i++) {
            action.accept(names.list.get(i), value(i));
        }
    }

    @Override
    public Set<Entry<String, V>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public int size() {
                return values.length;
            }

            @Override
            public Iterator<Entry<String, V>> iterator() {
                return new Iterator<>() {
                    private int at;

                    @Override
                    public boolean hasNext() {
                        return at < values.length;
                    }

                    @Override
                    public Entry<String, V> next() {
                        if (at == values.length) {
                            throw new NoSuchElementException();
                        }
                        return Map.entry(names.list.get(at), value(at++));
                    }
                };
            }
        };
    }

    @Override
    public SequencedMap<String, V> reversed() {
        return Collections.unmodifiableSequencedMap(new LinkedHashMap<>(this).reversed());
    }
}
