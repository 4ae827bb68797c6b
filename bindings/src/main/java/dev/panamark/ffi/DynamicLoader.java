package dev.panamark.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * {@code dlopen} and its kin. The JDK's own {@code SymbolLookup.libraryLookup} binds lazily, so that a missing function
 * ends the process at its first call, and it drops the loader's words.
 */
@SuppressWarnings("restricted")
public final class DynamicLoader {
    private static final int RTLD_NOW = 2; // dlfcn.h, the same on every Linux; RTLD_LOCAL is 0
    private static final int RTLD_DI_LINKMAP = 2; // struct link_map: a base address, then the name

    private static final MethodHandle DLOPEN =
            handle("dlopen", FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    private static final MethodHandle DLSYM =
            handle("dlsym", FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
    private static final MethodHandle DLCLOSE =
            handle("dlclose", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    private static final MethodHandle DLINFO = handle(
            "dlinfo",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    private static final MethodHandle DLERROR = handle("dlerror", FunctionDescriptor.of(ValueLayout.ADDRESS));

    private DynamicLoader() {}

    /**
     * Loads a shared object with all its references resolved, its symbols invisible to others.
     *
     * @param name a path where it holds a slash, otherwise a name that the loader looks for
     * @throws LoaderException with the loader's words
     */
    public static MemorySegment open(String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            MemorySegment handle = (MemorySegment) DLOPEN.invokeExact(text, RTLD_NOW);
            if (handle.address() == 0) {
                throw new LoaderException("dlopen: " + error(name));
            }
            return handle;
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    /**
     * The address of a symbol of a loaded object or of one that it needs.
     *
     * @throws LoaderException where there is none, with the loader's words
     */
    public static MemorySegment symbol(MemorySegment handle, String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment symbol = arena.allocateFrom(name);
            MemorySegment address = (MemorySegment) DLSYM.invokeExact(handle, symbol);
            if (address.address() == 0) {
                throw new LoaderException("dlsym: " + error(name));
            }
            return address;
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    /**
     * The file that a loaded object came from, as the loader names it.
     *
     * @throws LoaderException with the loader's words
     */
    public static String file(MemorySegment handle) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment map = arena.allocate(ValueLayout.ADDRESS);
            int status = (int) DLINFO.invokeExact(handle, RTLD_DI_LINKMAP, map);
            if (status != 0) {
                throw new LoaderException("dlinfo: " + error("status " + status));
            }
            return map.get(ValueLayout.ADDRESS, 0)
                    .reinterpret(2 * ValueLayout.ADDRESS.byteSize())
                    .get(ValueLayout.ADDRESS, ValueLayout.ADDRESS.byteSize())
                    .reinterpret(Integer.MAX_VALUE)
                    .getString(0);
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    /**
     * Unloads it, once; nothing of it may be called again.
     *
     * @throws LoaderException with the loader's words
     */
    public static void close(MemorySegment handle) {
        try {
            int status = (int) DLCLOSE.invokeExact(handle);
            if (status != 0) {
                throw new LoaderException("dlclose: " + error("status " + status));
            }
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    private static String error(String otherwise) throws Throwable {
        MemorySegment text = (MemorySegment) DLERROR.invokeExact();
        return text.address() == 0
                ? otherwise
                : text.reinterpret(Integer.MAX_VALUE).getString(0);
    }

    private static MethodHandle handle(String name, FunctionDescriptor type) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
    }

    /** What a downcall threw: an error is thrown on, an exception is returned to be thrown. */
    public static RuntimeException unchecked(Throwable t) {
        if (t instanceof Error e) {
            throw e;
        }
        return t instanceof RuntimeException e ? e : new IllegalStateException(t);
    }
}
