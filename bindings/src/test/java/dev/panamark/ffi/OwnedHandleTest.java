package dev.panamark.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
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
        context.close();
        assertEquals(4, released.size());
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
