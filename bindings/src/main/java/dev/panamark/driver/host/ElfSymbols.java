package dev.panamark.driver.host;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The functions that a shared object defines, read from its {@code .dynsym} section (ELF gABI, "Symbol Table"). Asking
 * the loader instead would also find those of the libraries that the object needs.
 */
final class ElfSymbols {
    private static final int SHT_DYNSYM = 11;
    private static final int PT_LOAD = 1;
    private static final int STT_FUNC = 2;
    private static final int STT_GNU_IFUNC = 10;
    private static final int STB_LOCAL = 0;

    private ElfSymbols() {}

    /** Names, sorted; a reserved name of the compiler's start-up code is left out. */
    static List<String> functions(Path file) {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (IOException e) {
            throw new HostLibraryException(file + " cannot be read: " + e, e);
        }
        try {
            return parse(file, ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
        } catch (IndexOutOfBoundsException | ArithmeticException | IllegalArgumentException e) {
            throw new HostLibraryException(file + " is a damaged or truncated shared object", e);
        }
    }

    private static List<String> parse(Path file, ByteBuffer elf) {
        if (elf.limit() < 64 || elf.getInt(0) != 0x464c457f) {
            throw new HostLibraryException(file + " is not an ELF shared object (it does not begin with 0x7f ELF)");
        }
        if (elf.get(4) != 2 || elf.get(5) != 1 || elf.getShort(16) != 3) {
            throw new HostLibraryException(
                    file + " is not a 64-bit little-endian shared object (cc -shared makes one)");
        }
        checkSegments(file, elf);
        int sections = Math.toIntExact(elf.getLong(40));
        int size = elf.getShort(58) & 0xffff;
        int count = elf.getShort(60) & 0xffff;
        SortedSet<String> names = new TreeSet<>();
        boolean found = false;
        for (int i = 0; sections != 0 && i < count; i++) {
            int section = sections + i * size;
            if (elf.getInt(section + 4) == SHT_DYNSYM) {
                found = true;
                int strings = Math.toIntExact(elf.getLong(sections + elf.getInt(section + 40) * size + 24));
                int at = Math.toIntExact(elf.getLong(section + 24));
                int end = Math.addExact(at, Math.toIntExact(elf.getLong(section + 32)));
                for (; at < end; at += 24) {
                    if (isDefinedFunction(elf, at)) {
                        names.add(string(elf, Math.addExact(strings, elf.getInt(at))));
                    }
                }
            }
        }
        if (!found) {
            throw new HostLibraryException(file + " has no dynamic symbol table; do not strip its section headers");
        }
        names.remove("_init");
        names.remove("_fini");
        return List.copyOf(names);
    }

    /** The loader maps a truncated file without a word; touching the missing part then ends the process. */
    private static void checkSegments(Path file, ByteBuffer elf) {
        int headers = Math.toIntExact(elf.getLong(32));
        int size = elf.getShort(54) & 0xffff;
        int count = elf.getShort(56) & 0xffff;
        for (int i = 0; i < count; i++) {
            int header = headers + i * size;
            if (elf.getInt(header) == PT_LOAD) {
                long end = Math.addExact(elf.getLong(header + 8), elf.getLong(header + 32));
                if (end > elf.limit()) {
                    throw new HostLibraryException(
                            file + " is truncated: it has " + elf.limit() + " bytes and its headers want " + end);
                }
            }
        }
    }

    private static boolean isDefinedFunction(ByteBuffer elf, int symbol) {
        int type = elf.get(symbol + 4) & 0xf;
        int binding = (elf.get(symbol + 4) & 0xff) >> 4;
        return (type == STT_FUNC || type == STT_GNU_IFUNC) && binding != STB_LOCAL && elf.getShort(symbol + 6) != 0;
    }

    private static String string(ByteBuffer elf, int at) {
        int end = at;
        while (elf.get(end) != 0) {
            end++;
        }
        byte[] name = new byte[end - at];
        elf.get(at, name);
        return new String(name, StandardCharsets.UTF_8);
    }
}
