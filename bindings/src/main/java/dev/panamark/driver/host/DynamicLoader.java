package dev.panamark.driver.host;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * {@code dlopen} and its kin. The JDK's own {@code SymbolLookup.libraryLookup} binds lazily, so that a missing function
 * ends the process at its first call, and it drops the loader's words.
 */
@SuppressWarnings("restricted")
final class DynamicLoader {
    private static final int RTLD_NOW = 2; // dlfcn.h, the same on every Linux; RTLD_LOCAL is 0

    private static final MethodHandle DLOPEN =
            handle("dlopen", FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    private static final MethodHandle DLSYM =
            handle("dlsym", FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
    private static final MethodHandle DLCLOSE =
            handle("dlclose", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    private static final MethodHandle DLERROR = handle("dlerror", FunctionDescriptor.of(ValueLayout.ADDRESS));

    private DynamicLoader() {}

    static MemorySegment open(Path file) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(file.toString());
            MemorySegment handle = (MemorySegment) DLOPEN.invokeExact(name, RTLD_NOW);
            if (handle.address() == 0) {
                throw new HostLibraryException("dlopen: " + error(file.toString()));
            }
            return handle;
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    static MemorySegment symbol(MemorySegment handle, String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment symbol = arena.allocateFrom(name);
            MemorySegment address = (MemorySegment) DLSYM.invokeExact(handle, symbol);
            if (address.address() == 0) {
                throw new HostLibraryException("dlsym: " + error(name));
            }
            return address;
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    static void close(MemorySegment handle) {
        try {
            int status = (int) DLCLOSE.invokeExact(handle);
            if (status != 0) {
                throw new HostLibraryException("dlclose: " + error("status " + status));
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

    static RuntimeException unchecked(Throwable t) {
        if (t instanceof Error e) {
            throw e;
        }
        return t instanceof RuntimeException e ? e : new IllegalStateException(t);
    }
}
