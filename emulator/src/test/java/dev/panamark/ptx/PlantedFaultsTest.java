package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.ptx.check.Check;
import dev.panamark.ptx.check.Checker;
import dev.panamark.ptx.check.Finding;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every planted fault is found at its line and nothing else is, and of its twin nothing at all; by both engines alike. */
class PlantedFaultsTest {
    static List<Planted> planted() {
        return Planted.all();
    }

    private static List<Finding> findings(Planted planted, boolean faulty, LaunchOptions.Engine engine) {
        try (Run run = new Run("k.ptx", planted.text(faulty));
                Checker checker = new Checker(
                        run.memory, EnumSet.allOf(Check.class), Path.of(System.getProperty("java.io.tmpdir")))) {
            long data = run.buffer(Planted.BYTES);
            long nothing = run.buffer(Planted.BYTES);
            checker.holdsNothing(nothing, Planted.BYTES);
            try {
                run.launch(
                        "k",
                        Extent.of(2),
                        Extent.of(Planted.THREADS),
                        LaunchOptions.plain()
                                .engine(engine)
                                .time(Duration.ofSeconds(60))
                                .checker(checker),
                        data,
                        nothing);
            } catch (KernelFault fault) {
                checker.add(fault);
            }
            return checker.findings();
        }
    }

    @ParameterizedTest
    @MethodSource("planted")
    void isFoundAtItsLine(Planted planted) {
        List<Finding> found = findings(planted, true, LaunchOptions.Engine.COMPILER);
        Finding first = found.stream()
                .filter(f -> f.kind().equals(planted.kind()))
                .findFirst()
                .orElseThrow(() -> new AssertionError("found " + found + " in\n" + planted.text(true)));
        assertEquals(planted.check(), first.check());
        KernelFault.Place place = first.place();
        assertNotNull(place);
        int here = planted.line(Planted.HERE);
        int there = planted.line(Planted.THERE);
        KernelFault.Place other = first.other();
        if (other == null || there < 0) {
            assertEquals(here, place.line(), first.toString());
        } else {
            // Of two writes each may be the later one.
            boolean turned = planted.kind().equals("write-after-write") && place.line() == there;
            assertEquals(turned ? there : here, place.line(), first.toString());
            assertEquals(turned ? here : there, other.line(), first.toString());
        }
        assertTrue(planted.check() != Check.RACE || other != null, first.toString());
        List<Finding> unlike =
                found.stream().filter(f -> f.check() != planted.check()).toList();
        assertTrue(unlike.isEmpty(), () -> unlike.toString());
        assertEquals(found, findings(planted, true, LaunchOptions.Engine.INTERPRETER));
        assertEquals(found, findings(planted, true, LaunchOptions.Engine.VECTORS));
    }

    @ParameterizedTest
    @MethodSource("planted")
    void itsTwinIsSilent(Planted planted) {
        assertEquals(List.of(), findings(planted, false, LaunchOptions.Engine.COMPILER));
        assertEquals(List.of(), findings(planted, false, LaunchOptions.Engine.INTERPRETER));
        assertEquals(List.of(), findings(planted, false, LaunchOptions.Engine.VECTORS));
    }

    /** Whatever is taken out later: five of each check, and every access, space and width has its own. */
    @Test
    void thereAreManyOfEachKind() {
        for (Check check : Check.values()) {
            long count = planted().stream().filter(p -> p.check() == check).count();
            assertTrue(count >= 5, check + ": " + count);
        }
        assertTrue(planted().size() >= 60, planted().size() + " planted faults");
    }
}
