package dev.panamark.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;

/** The oracle is LinkedHashMap. */
class FrozenMapTest {
    private static final SequencedMap<String, Object> ORACLE = Samples.map("seq", 1024L, "scale", 0.1, "dtype", "f32");

    private static FrozenMap<Object> map() {
        return FrozenMap.copyOf(ORACLE);
    }

    @Test
    void isTheMapThatItCopies() {
        FrozenMap<Object> map = map();
        assertEquals(ORACLE, map);
        assertEquals(map, ORACLE);
        assertEquals(ORACLE.hashCode(), map.hashCode());
        assertEquals(ORACLE.toString(), map.toString());
        assertEquals(List.copyOf(ORACLE.entrySet()), List.copyOf(map.entrySet()));
        assertEquals(List.copyOf(ORACLE.keySet()), List.copyOf(map.keySet()));
        assertEquals(List.copyOf(ORACLE.values()), List.copyOf(map.values()));
        assertEquals(
                List.copyOf(ORACLE.reversed().keySet()),
                List.copyOf(map.reversed().keySet()));
        assertEquals(ORACLE.firstEntry(), map.firstEntry());
        assertEquals(ORACLE.lastEntry(), map.lastEntry());
        List<String> seen = new ArrayList<>();
        map.forEach((key, value) -> seen.add(key + "=" + value));
        assertEquals(List.of("seq=1024", "scale=0.1", "dtype=f32"), seen);
        assertEquals(0.1, map.get("scale"));
        assertNull(map.get("heads"));
        assertTrue(map.containsKey("dtype"));
        assertNotEquals(FrozenMap.empty(), map);
        assertEquals(Map.of(), FrozenMap.empty());
    }

    @Test
    void neverChanges() {
        SequencedMap<String, Object> source = new LinkedHashMap<>(ORACLE);
        FrozenMap<Object> map = FrozenMap.copyOf(source);
        source.put("seq", 1L);
        assertEquals(1024L, map.get("seq"));
        assertSame(map, FrozenMap.copyOf(map));
        assertThrows(UnsupportedOperationException.class, () -> map.put("seq", 1L));
        assertThrows(UnsupportedOperationException.class, () -> map.remove("seq"));
        assertThrows(UnsupportedOperationException.class, () -> map.putFirst("a", 1L));
        assertThrows(UnsupportedOperationException.class, map::clear);
        assertThrows(UnsupportedOperationException.class, () -> map.reversed().clear());
        var entries = map.entrySet().iterator();
        entries.next();
        entries.next();
        assertThrows(UnsupportedOperationException.class, () -> entries.next().setValue(1L));
        assertThrows(NoSuchElementException.class, entries::next);
    }

    @Test
    void refusesAKeyTwice() {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> new FrozenMap.Names(List.of("a", "b", "a")));
        assertTrue(String.valueOf(e.getMessage()).contains("twice"), e.getMessage());
    }

    /** What JSON holds is copied once, and a map of something else is not taken for it. */
    @Test
    void isFrozenOnce() {
        SequencedMap<String, Object> once = JsonValues.freeze("run", ORACLE);
        assertSame(once, JsonValues.freeze("run", once));
        SequencedMap<String, Metric> metrics = new LinkedHashMap<>();
        metrics.put("a/b", Metric.missing("s", "nobody looked"));
        FrozenMap<Metric> other = FrozenMap.copyOf(metrics);
        assertThrows(IllegalArgumentException.class, () -> JsonValues.freeze("run", other));
    }
}
