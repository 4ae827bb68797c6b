package dev.panamark.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class OwnedHandleTest {
    private final List<String> released = Collections.synchronizedList(new ArrayList<>());

    private Runnable release(String name) {
        return () -> released.add(name);
    }

    private Runnable failing(String name) {
        return () -> {
            released.add(name);
            throw new IllegalArgumentException(name);
        };
    }

    @Test
    void partsGoBeforeTheWholeAndTheLastFirst() {
        OwnedHandle context = OwnedHandle.root("context", release("context"));
        OwnedHandle module = context.child("module", release("module"));
        module.child("texture", release("texture"));
        context.child("stream", release("stream"));
        context.close();
        assertEquals(List.of("stream", "texture", "module", "context"), released);
        assertTrue(module.isClosed());
    }

    @Test
    void eachIsGivenBackOnce() {
        OwnedHandle context = OwnedHandle.root("context", release("context"));
        OwnedHandle stream = context.child("stream", release("stream"));
        stream.close();
        stream.close();
        assertFalse(context.isClosed());
        context.close();
        context.close();
        assertEquals(List.of("stream", "context"), released);
    }

    @Test
    void whatFailsDoesNotKeepTheRest() {
        OwnedHandle context = OwnedHandle.root("context", failing("context"));
        context.child("first", failing("first"));
        context.child("second", release("second"));
        context.child("third", failing("third"));
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, context::close);
        assertEquals(List.of("third", "second", "first", "context"), released);
        assertEquals("third", e.getMessage());
        assertEquals(
                List.of("first", "context"),
                List.of(e.getSuppressed()).stream().map(Throwable::getMessage).toList());
    }

    @Test
    void whatFailedIsTriedAgainAndTheRestIsNot() {
        AtomicInteger refusals = new AtomicInteger(2);
        OwnedHandle context = OwnedHandle.root("context", release("context"));
        OwnedHandle module = context.child("module", () -> {
            released.add("module");
            if (refusals.getAndDecrement() > 0) {
                throw new IllegalArgumentException("module");
            }
        });
        module.child("texture", release("texture"));
        assertThrows(IllegalArgumentException.class, module::close);
        assertThrows(IllegalStateException.class, module::requireOpen);
        assertThrows(IllegalArgumentException.class, module::close);
        assertEquals(List.of("texture", "module", "module"), released);
        context.close();
        module.close();
        assertEquals(List.of("texture", "module", "module", "module", "context"), released);
    }

    @Test
    void whatCannotBeGivenBackGoesWithItsOwner() {
        OwnedHandle context = OwnedHandle.root("context", release("context"));
        OwnedHandle module = context.child("module", failing("module"));
        assertThrows(IllegalArgumentException.class, context::close);
        module.close();
        context.close();
        assertEquals(List.of("module", "context"), released);
    }

    @Test
    void anOwnerThatFailedIsTriedAgainWithWhatFailedInIt() {
        AtomicInteger refusals = new AtomicInteger(1);
        OwnedHandle context = OwnedHandle.root("context", () -> {
            released.add("context");
            if (refusals.getAndDecrement() > 0) {
                throw new IllegalArgumentException("context");
            }
        });
        context.child("stream", release("stream"));
        context.child("module", failing("module"));
        assertThrows(IllegalArgumentException.class, context::close);
        IllegalArgumentException again = assertThrows(IllegalArgumentException.class, context::close);
        assertEquals("module", again.getMessage());
        context.close();
        assertEquals(List.of("module", "stream", "context", "module", "context"), released);
    }

    @Test
    void aClosedOneIsNotUsedAndGetsNoParts() {
        OwnedHandle context = OwnedHandle.root("the context", release("context"));
        context.requireOpen();
        context.close();
        assertEquals(
                "the context is closed",
                assertThrows(IllegalStateException.class, context::requireOpen).getMessage());
        assertEquals(
                "the context was closed while a stream was made",
                assertThrows(IllegalStateException.class, () -> context.child("a stream", release("stream")))
                        .getMessage());
        assertEquals(List.of("context", "stream"), released, "what was made is given back all the same");
    }

    @Test
    void whatIsMadeDuringAClosingIsGivenBackBeforeItsOwner() {
        OwnedHandle context = OwnedHandle.root("context", release("context"));
        context.child("stream", () -> {
            released.add("stream");
            IllegalStateException e =
                    assertThrows(IllegalStateException.class, () -> context.child("late", failing("late")));
            assertEquals("late", e.getSuppressed()[0].getMessage());
        });
        context.close();
        assertEquals(List.of("stream", "late", "context"), released);
    }

    @Test
    @Timeout(30)
    void aWholeWaitsForAPartThatAnotherThreadIsClosing() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        OwnedHandle context = OwnedHandle.root("context", release("context"));
        OwnedHandle stream = context.child("stream", () -> {
            begun.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            released.add("stream");
        });
        Thread one = Thread.ofPlatform().start(stream::close);
        begun.await();
        Thread other = Thread.ofPlatform().start(context::close);
        while (other.getState() != Thread.State.BLOCKED) {
            Thread.onSpinWait();
        }
        assertEquals(List.of(), released);
        goOn.countDown();
        one.join();
        other.join();
        assertEquals(List.of("stream", "context"), released);
    }
}
