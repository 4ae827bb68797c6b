package dev.panamark.ptx.ir;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A meaning written once as a public static method; compiled code calls it, the interpreter too.
 *
 * @param handle the method with the bits of every argument and of the result in a long each
 */
public record Semantic(Class<?> owner, String name, MethodType type, MethodHandle handle) {
    private static final ConcurrentHashMap<String, Semantic> KNOWN = new ConcurrentHashMap<>();

    /**
     * The method of that name; names are unique in the classes of meanings.
     *
     * @throws IllegalArgumentException where there is none
     */
    public static Semantic of(Class<?> owner, String name) {
        return KNOWN.computeIfAbsent(owner.getName() + "." + name, key -> find(owner, name));
    }

    private static Semantic find(Class<?> owner, String name) {
        for (Method method : owner.getDeclaredMethods()) {
            if (method.getName().equals(name)
                    && Modifier.isStatic(method.getModifiers())
                    && Modifier.isPublic(method.getModifiers())) {
                try {
                    MethodHandle handle = MethodHandles.publicLookup().unreflect(method);
                    return new Semantic(owner, name, handle.type(), onBits(handle));
                } catch (IllegalAccessException e) {
                    throw new IllegalArgumentException(owner.getSimpleName() + "." + name + " is not accessible", e);
                }
            }
        }
        throw new IllegalArgumentException("no method " + owner.getSimpleName() + "." + name);
    }

    public Jvm result() {
        return Jvm.of(type.returnType());
    }

    private static MethodHandle onBits(MethodHandle handle) throws IllegalAccessException {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodHandle result = handle;
        try {
            MethodHandle toFloat =
                    lookup.findStatic(Semantic.class, "toFloat", MethodType.methodType(float.class, long.class));
            MethodHandle toDouble = lookup.findStatic(
                    Double.class, "longBitsToDouble", MethodType.methodType(double.class, long.class));
            for (int i = 0; i < handle.type().parameterCount(); i++) {
                Class<?> parameter = handle.type().parameterType(i);
                if (parameter == float.class) {
                    result = MethodHandles.filterArguments(result, i, toFloat);
                } else if (parameter == double.class) {
                    result = MethodHandles.filterArguments(result, i, toDouble);
                }
            }
            if (handle.type().returnType() == float.class) {
                result = MethodHandles.filterReturnValue(
                        result,
                        lookup.findStatic(
                                Float.class, "floatToRawIntBits", MethodType.methodType(int.class, float.class)));
            } else if (handle.type().returnType() == double.class) {
                result = MethodHandles.filterReturnValue(
                        result,
                        lookup.findStatic(
                                Double.class, "doubleToRawLongBits", MethodType.methodType(long.class, double.class)));
            }
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("a method of the JDK is missing", e);
        }
        Class<?>[] longs = new Class<?>[handle.type().parameterCount()];
        Arrays.fill(longs, long.class);
        return MethodHandles.explicitCastArguments(result, MethodType.methodType(long.class, longs));
    }

    static float toFloat(long bits) {
        return Float.intBitsToFloat((int) bits);
    }
}
