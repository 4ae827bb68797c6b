package dev.panamark.cli;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * SIGHUP, SIGINT and SIGTERM handed to a receiver instead of ending the process, until closed. Java has no other way to
 * this than {@code sun.misc.Signal} of the module jdk.unsupported, which javac warns of whatever one does; so it is
 * called by reflection. A JVM without it ends at a signal, as it would anyway. A signal that the process was started
 * with ignored (nohup) stays ignored.
 */
final class Signals implements AutoCloseable {
    private final Class<?> signal;
    private final Class<?> handler;
    private final Map<Object, Object> before = new LinkedHashMap<>();

    private Signals(Class<?> signal, Class<?> handler) {
        this.signal = signal;
        this.handler = handler;
    }

    /**
     * Hands them over from now on.
     *
     * @param receiver gets the signal's number, on a thread of its own
     */
    static Signals to(IntConsumer receiver) {
        Class<?> signal;
        Class<?> handler;
        try {
            signal = Class.forName("sun.misc.Signal");
            handler = Class.forName("sun.misc.SignalHandler");
        } catch (ClassNotFoundException e) {
            return new Signals(Void.class, Void.class);
        }
        Signals signals = new Signals(signal, handler);
        for (String name : new String[] {"HUP", "INT", "TERM"}) {
            signals.handle(name, receiver);
        }
        return signals;
    }

    @SuppressWarnings("ReferenceEquality") // that is how a proxy is equal
    private void handle(String name, IntConsumer receiver) {
        try {
            Object one = signal.getConstructor(String.class).newInstance(name);
            Method number = signal.getMethod("getNumber");
            InvocationHandler act = (proxy, method, arguments) -> switch (method.getName()) {
                case "handle" -> {
                    receiver.accept((int) number.invoke(arguments[0]));
                    yield null;
                }
                case "hashCode" -> System.identityHashCode(proxy);
                case "equals" -> proxy == arguments[0];
                default -> "signals";
            };
            Object ours = Proxy.newProxyInstance(Signals.class.getClassLoader(), new Class<?>[] {handler}, act);
            before.put(one, install(one, ours));
        } catch (ReflectiveOperationException e) {
            // The JVM keeps this signal to itself (-Xrs); then it does with it what it does without Panamark.
            return;
        }
    }

    private Object install(Object one, Object what) throws ReflectiveOperationException {
        return signal.getMethod("handle", signal, handler).invoke(null, one, what);
    }

    @Override
    public void close() {
        before.forEach((one, what) -> {
            try {
                install(one, what);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("a signal's handler cannot be put back", e);
            }
        });
    }
}
