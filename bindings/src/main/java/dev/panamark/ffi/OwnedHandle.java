package dev.panamark.ffi;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Something of a driver's that must be given back: once, after everything that was made within it. Threads may make and
 * close at the same time.
 */
public final class OwnedHandle implements AutoCloseable {
    private final String name;
    private final @Nullable OwnedHandle owner;
    private final Runnable release;
    private final Set<OwnedHandle> children = new LinkedHashSet<>();

    /** Held while it is given back, so that an owner does not go before a part that another thread is closing. */
    private final Object closing = new Object();

    private volatile boolean closed;

    private OwnedHandle(String name, @Nullable OwnedHandle owner, Runnable release) {
        this.name = name;
        this.owner = owner;
        this.release = release;
    }

    /**
     * A handle that nothing owns.
     *
     * @param name as messages call it
     * @param release gives it back to the driver
     */
    public static OwnedHandle root(String name, Runnable release) {
        return new OwnedHandle(name, null, release);
    }

    /**
     * A handle that is closed before this one is.
     *
     * @throws IllegalStateException where this one is closed; {@code release} has then been called
     */
    public OwnedHandle child(String childName, Runnable childRelease) {
        OwnedHandle child = new OwnedHandle(childName, this, childRelease);
        synchronized (children) {
            if (!closed) {
                children.add(child);
                return child;
            }
        }
        childRelease.run();
        throw new IllegalStateException(name + " was closed while " + childName + " was made");
    }

    /** Fails where it is closed. */
    public void requireOpen() {
        if (closed) {
            throw new IllegalStateException(name + " is closed");
        }
    }

    /** Whether it is closed. */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Gives everything made within it back, the last first, then itself; nothing happens a second time. What fails does
     * not keep the rest from being given back: the first failure is thrown, with the others suppressed.
     */
    @Override
    public void close() {
        synchronized (closing) {
            List<OwnedHandle> within;
            synchronized (children) {
                if (closed) {
                    return;
                }
                closed = true;
                within = new ArrayList<>(children);
            }
            RuntimeException failure = null;
            for (OwnedHandle child : within.reversed()) {
                failure = run(child::close, failure);
            }
            failure = run(release, failure);
            if (owner != null) {
                owner.forget(this);
            }
            if (failure != null) {
                throw failure;
            }
        }
    }

    private void forget(OwnedHandle child) {
        synchronized (children) {
            children.remove(child);
        }
    }

    private static @Nullable RuntimeException run(Runnable action, @Nullable RuntimeException failure) {
        try {
            action.run();
            return failure;
        } catch (RuntimeException e) {
            if (failure == null) {
                return e;
            }
            failure.addSuppressed(e);
            return failure;
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
