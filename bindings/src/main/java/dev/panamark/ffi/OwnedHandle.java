package dev.panamark.ffi;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Something of a driver's that must be given back: once, after everything that was made within it. What could not be given
 * back is tried again when it, or what it was made within, is closed again. Threads may make and close at the same time.
 */
public final class OwnedHandle implements AutoCloseable {
    private final String name;
    private final @Nullable OwnedHandle owner;
    private final Runnable release;
    private final Set<OwnedHandle> children = new LinkedHashSet<>();

    /** Held while it is given back, so that an owner does not go before a part that another thread is closing. */
    private final Object closing = new Object();

    /** From the first closing on: it may not be used. */
    private volatile boolean closed;

    /** Guarded by children: its own release has begun, so nothing within it can be given back beside it. */
    private boolean releasing;

    /** Guarded by children: it was given back, or went with what it was made within. */
    private boolean released;

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
     * @throws IllegalStateException where this one is closed; {@code release} has then been called, before this one's own
     *     where that had not begun, and a failure of it is suppressed
     */
    public OwnedHandle child(String childName, Runnable childRelease) {
        OwnedHandle child = new OwnedHandle(childName, this, childRelease);
        RuntimeException failure;
        synchronized (children) {
            if (!closed) {
                children.add(child);
                return child;
            }
            // Under the lock, so that whoever is closing this one gives it back only after the child.
            failure = run(childRelease, null);
            child.closed = true;
            if (failure != null && !releasing && !released) {
                children.add(child);
            }
        }
        IllegalStateException late = new IllegalStateException(name + " was closed while " + childName + " was made");
        if (failure != null) {
            late.addSuppressed(failure);
        }
        throw late;
    }

    /** Fails where it is closed. */
    public void requireOpen() {
        if (closed) {
            throw new IllegalStateException(name + " is closed");
        }
    }

    /** Whether it was given back, or went with what it was made within. */
    public boolean isReleased() {
        synchronized (children) {
            return released;
        }
    }

    /** Whether it is closed. */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Gives everything made within it back, the last first, then itself; nothing happens once that has been done. What fails
     * does not keep the rest from being given back: the first failure is thrown, with the others suppressed, and a further
     * closing tries again what failed. What could not be given back goes with what it was made within.
     */
    @Override
    public void close() {
        synchronized (closing) {
            List<OwnedHandle> within;
            synchronized (children) {
                if (released) {
                    return;
                }
                closed = true;
                within = new ArrayList<>(children);
            }
            RuntimeException failure = null;
            for (OwnedHandle child : within.reversed()) {
                failure = run(child::close, failure);
            }
            synchronized (children) {
                releasing = true;
            }
            RuntimeException own = run(release, null);
            if (own == null) {
                goes();
                if (owner != null) {
                    owner.forget(this);
                }
            } else if (failure == null) {
                failure = own;
            } else {
                failure.addSuppressed(own);
            }
            synchronized (children) {
                releasing = false;
            }
            if (failure != null) {
                throw failure;
            }
        }
    }

    private void goes() {
        List<OwnedHandle> within;
        synchronized (children) {
            closed = true;
            released = true;
            within = new ArrayList<>(children);
            children.clear();
        }
        within.forEach(OwnedHandle::goes);
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
