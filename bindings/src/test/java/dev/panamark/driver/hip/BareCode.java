package dev.panamark.driver.hip;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A code object without code or metadata, which needs no compiler: an ELF file for a processor, with one variable of 64 zeros,
 * {@code table}. Its kernels are those that a script names.
 */
final class BareCode {
    /** EF_AMDGPU_MACH of LLVM's AMDGPU usage guide. */
    static final int GFX90A = 0x3f;

    static final int GFX942 = 0x4c;

    private static final int SECTIONS = 4;
    private static final int SECTION_BYTES = 64;
    private static final int SYMBOLS = 64;
    private static final int NAMES = 112;
    private static final int HEADERS = 128;

    private BareCode() {}

    static byte[] of(int processor) {
        ByteBuffer elf = ByteBuffer.allocate(HEADERS + SECTIONS * SECTION_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        elf.put(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1, 64, 3});
        elf.putShort(16, (short) 3).putShort(18, (short) 224); // ET_DYN, EM_AMDGPU
        elf.putLong(40, HEADERS).putInt(48, processor);
        elf.putShort(58, (short) SECTION_BYTES).putShort(60, (short) SECTIONS);
        elf.putInt(SYMBOLS + 24, 1).put(SYMBOLS + 28, (byte) 0x11); // its name; global, an object
        elf.putShort(SYMBOLS + 30, (short) 3).putLong(SYMBOLS + 40, 64); // in section 3; 64 bytes
        elf.put(NAMES, "\0table\0".getBytes(StandardCharsets.US_ASCII));
        section(elf, 1, 3, NAMES, 7, 0); // SHT_STRTAB
        section(elf, 2, 11, SYMBOLS, 48, 1); // SHT_DYNSYM, with its names in section 1
        section(elf, 3, 8, 0, 64, 0); // SHT_NOBITS
        return elf.array();
    }

    private static void section(ByteBuffer elf, int index, int type, int offset, int size, int link) {
        int at = HEADERS + index * SECTION_BYTES;
        elf.putInt(at + 4, type).putLong(at + 24, offset).putLong(at + 32, size).putInt(at + 40, link);
    }
}
