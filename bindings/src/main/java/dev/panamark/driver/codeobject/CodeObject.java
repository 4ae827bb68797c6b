package dev.panamark.driver.codeobject;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What an ELF file for an AMD GPU tells of itself (LLVM, "User Guide for AMDGPU Backend", "ELF Code Object" and "Code Object
 * Metadata", from Code Object V3 on).
 *
 * @param version of the code object, 3 to 6; what a runtime takes depends on its age (6 came with ROCm 6.3)
 * @param target what it was compiled for, {@code gfx90a} or with features {@code gfx90a:xnack-}; empty where the metadata
 *     does not say, as before V4
 * @param kernels in the order of the metadata
 */
public record CodeObject(int version, String target, List<KernelMetadata> kernels) {
    private static final int MAGIC = 0x464c457f;
    private static final int HEADER_BYTES = 64;
    private static final int EM_AMDGPU = 224;
    private static final int ELFOSABI_AMDGPU_HSA = 64;
    private static final int PT_NOTE = 4;
    private static final int NT_AMDGPU_METADATA = 32;

    /** The first code object with metadata in this form; EI_ABIVERSION counts from it. */
    private static final int FIRST_VERSION = 2;

    private static final String OWNER = "AMDGPU";

    /** What stands before the processor in {@code amdhsa.target}. */
    private static final String TRIPLE = "amdgcn-amd-amdhsa--";

    /** Copies the kernels. */
    public CodeObject {
        kernels = List.copyOf(kernels);
    }

    /** Whether bytes begin as a code object does, damaged or not: an ELF file of this machine. */
    public static boolean isCodeObject(byte[] bytes) {
        ByteBuffer elf = little(bytes);
        return bytes.length >= HEADER_BYTES && elf.getInt(0) == MAGIC && (elf.getShort(18) & 0xffff) == EM_AMDGPU;
    }

    /**
     * Reads it.
     *
     * @throws CodeObjectException where the bytes are no code object for the HSA runtime, or damaged
     */
    public static CodeObject read(byte[] bytes) {
        if (!isCodeObject(bytes)) {
            throw new CodeObjectException("no code object: expected an ELF file for machine 224 (EM_AMDGPU)");
        }
        ByteBuffer elf = little(bytes);
        if (elf.get(4) != 2 || elf.get(5) != 1 || elf.get(7) != ELFOSABI_AMDGPU_HSA) {
            throw new CodeObjectException("no code object for ROCm: class " + elf.get(4) + ", data " + elf.get(5)
                    + ", OS " + elf.get(7) + "; expected 2 (64 bits), 1 (little endian), 64 (AMD HSA)");
        }
        try {
            ByteBuffer document = metadata(elf)
                    .orElseThrow(() -> new CodeObjectException("the code object has no metadata note, so its kernels "
                            + "cannot be told; compile it for code object V3 or later"));
            Fields all = Fields.of("the whole document", MessagePack.read(document));
            return new CodeObject(elf.get(8) + FIRST_VERSION, target(all), kernels(all));
        } catch (IndexOutOfBoundsException | IllegalArgumentException | ArithmeticException e) {
            throw new CodeObjectException(
                    "the code object is damaged or truncated: it has " + bytes.length
                            + " bytes and its headers want more",
                    e);
        }
    }

    /** A kernel by the name that it is launched by. */
    public Optional<KernelMetadata> kernel(String name) {
        return kernels.stream().filter(k -> k.name().equals(name)).findFirst();
    }

    private static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The document of the metadata note, among the notes that the runtime loads. */
    private static Optional<ByteBuffer> metadata(ByteBuffer elf) {
        int headers = Math.toIntExact(elf.getLong(32));
        int size = elf.getShort(54) & 0xffff;
        int count = elf.getShort(56) & 0xffff;
        for (int i = 0; i < count; i++) {
            int header = Math.addExact(headers, i * size);
            if (elf.getInt(header) == PT_NOTE) {
                int at = Math.toIntExact(elf.getLong(header + 8));
                int bytes = Math.toIntExact(elf.getLong(header + 32));
                Optional<ByteBuffer> found = document(elf.slice(at, bytes).order(ByteOrder.LITTLE_ENDIAN));
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<ByteBuffer> document(ByteBuffer notes) {
        int at = 0;
        while (at + 12 <= notes.limit()) {
            int nameBytes = notes.getInt(at);
            int bytes = notes.getInt(at + 4);
            int type = notes.getInt(at + 8);
            int name = at + 12;
            int description = Math.addExact(name, padded(nameBytes));
            if (type == NT_AMDGPU_METADATA && isOwner(notes, name, nameBytes)) {
                return Optional.of(notes.slice(description, bytes));
            }
            at = Math.addExact(description, padded(bytes));
        }
        return Optional.empty();
    }

    private static boolean isOwner(ByteBuffer notes, int at, int bytes) {
        byte[] expected = (OWNER + "\0").getBytes(StandardCharsets.US_ASCII);
        return bytes == expected.length && notes.slice(at, bytes).equals(ByteBuffer.wrap(expected));
    }

    /** Notes are padded to four bytes. */
    private static int padded(int bytes) {
        if (bytes < 0) {
            throw new ArithmeticException("a size beyond 2^31");
        }
        return Math.addExact(bytes, 3) & ~3;
    }

    private static String target(Fields all) {
        String target = all.map().containsKey("amdhsa.target") ? all.text("amdhsa.target") : "";
        return target.startsWith(TRIPLE) ? target.substring(TRIPLE.length()) : target;
    }

    private static List<KernelMetadata> kernels(Fields all) {
        List<KernelMetadata> kernels = new ArrayList<>();
        for (Object kernel : all.list("amdhsa.kernels")) {
            kernels.add(kernel(Fields.of("kernel " + kernels.size(), kernel)));
        }
        return kernels;
    }

    private static KernelMetadata kernel(Fields fields) {
        List<KernelArgument> arguments = new ArrayList<>();
        for (Object argument : fields.list(".args")) {
            Fields of = Fields.of("argument " + arguments.size() + " of " + fields.where(), argument);
            arguments.add(new KernelArgument(of.number(".offset"), of.number(".size"), of.text(".value_kind")));
        }
        return new KernelMetadata(
                fields.text(".name"),
                fields.text(".symbol"),
                fields.number(".vgpr_count"),
                fields.optional(".agpr_count"),
                fields.number(".sgpr_count"),
                fields.optional(".vgpr_spill_count"),
                fields.optional(".sgpr_spill_count"),
                fields.number(".group_segment_fixed_size"),
                fields.number(".private_segment_fixed_size"),
                fields.number(".kernarg_segment_size"),
                fields.number(".max_flat_workgroup_size"),
                fields.number(".wavefront_size"),
                arguments);
    }
}
