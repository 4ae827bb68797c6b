package dev.panamark.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class TextTest {
    @Test
    void countsColumnsNotCharacters() {
        assertEquals(0, Text.width(""));
        assertEquals(3, Text.width("abc"));
        assertEquals(4, Text.width("\u65e5\u672c"));
        assertEquals(2, Text.width("\uD83D\uDE00"));
        assertEquals(1, Text.width("e\u0301"));
        assertEquals(2, Text.width("\uFF21"));
        assertEquals(7, Text.width("\u2013\u00b9\u00b1\u00b5\u00b7\u2500\u2070"));
        assertEquals(1, Text.width("\uD835\uDC00")); // mathematical bold A: two chars, one column
    }

    @Test
    void wrapsAtSpacesAndBreaksWhatIsTooLong() {
        assertEquals(List.of("the quick", "brown fox"), Text.wrap("the quick brown fox", 10));
        assertEquals(List.of("ab", "cdefghij", "klm no"), Text.wrap("ab cdefghijklm no", 8));
        assertEquals(List.of("\u65e5\u672c", "\u65e5\u672c"), Text.wrap("\u65e5\u672c\u65e5\u672c", 5));
        assertEquals(List.of(""), Text.wrap("", 5));
    }

    @Test
    void takesControlOutOfText() {
        assertEquals("a b[31mc d", Text.line("a\nb\u001b[31mc\td\u0000\u200b\n"));
        assertEquals("x\uFFFD", Text.line("x\uD83D"));
    }

    @Test
    void padsByColumns() {
        assertEquals("\u65e5  ", Text.left("\u65e5", 4));
        assertEquals("  \u65e5", Text.right("\u65e5", 4));
        assertEquals("long", Text.left("long", 2));
    }

    @Test
    void marksAreSuperscriptNumbers() {
        assertEquals("\u00b9\u2070\u00b2\u00b3\u2079", Footnotes.superscript(10239));
    }

    @Test
    void everyMarkHasItsFootnoteThoughTwoSayTheSame() {
        Footnotes notes = new Footnotes();
        String shared = notes.marks(List.of("only 3 samples"));
        String single = notes.mark("only 3 samples");
        assertEquals(List.of(shared, single), List.copyOf(notes.all().keySet()));
        assertEquals(
                List.of("only 3 samples", "only 3 samples"),
                List.copyOf(notes.all().values()));
    }

    @Test
    void textsThatDifferInNumbersShareAFootnoteWithTheirRanges() {
        Footnotes notes = new Footnotes();
        assertEquals("\u00b9,\u00b2", notes.marks(List.of("in 33 of 148 samples", "hasty")));
        assertEquals("\u00b9,\u00b2", notes.marks(List.of("hasty", "in 7 of 148 samples", "in 12.5 of 90 samples")));
        assertEquals("\u00b3", notes.mark("in 7 of 148 samples"), "a single remark is kept as it is");
        assertEquals("\u2074", notes.marks(List.of("f16, 65,536 and h100-2 are no numbers that may differ")));
        assertEquals("", notes.marks(List.of()));
        assertEquals(
                List.of(
                        "in 7\u201333 of 90\u2013148 samples",
                        "hasty",
                        "in 7 of 148 samples",
                        "f16, 65,536 and h100-2 are no numbers that may differ"),
                List.copyOf(notes.all().values()));
    }
}
