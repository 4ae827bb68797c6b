package dev.panamark.ptx;

import static dev.panamark.ptx.Reference.operands;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Loads, stores and atomic operations: on a thread's own sixteen bytes of each space, byte for byte. */
final class MemoryReferences {
    private static final int TABLE = 1024;

    private final Opcode opcode;
    private final String space;
    private final String type;
    private final Operand operand;
    private final int count;

    private MemoryReferences(Opcode opcode) {
        this.opcode = opcode;
        this.space = opcode.any("global", "shared", "local", "const", "param");
        this.type = opcode.type();
        this.operand = Operand.of(type);
        String vector = opcode.any("v2", "v4");
        this.count = vector.isEmpty() ? 1 : vector.charAt(1) - '0';
    }

    /** None where the opcode is of another kind. */
    static List<Reference> of(Opcode opcode) {
        MemoryReferences references = new MemoryReferences(opcode);
        return switch (opcode.base()) {
            case "ld" ->
                references.space.equals("param")
                        ? List.of(references.parameter(), references.passed())
                        : List.of(references.load());
            case "st" -> List.of(references.space.equals("param") ? references.passed() : references.store());
            case "cp" -> List.of(references.copy());
            case "atom" -> references.count == 1 ? List.of(references.atomic()) : references.vector();
            default -> List.of();
        };
    }

    /** A register, or as many as the vector has in braces. */
    private static String names(List<String> names, int count) {
        String all = "%" + String.join(", %", names.subList(0, count));
        return count == 1 ? all : "{" + all + "}";
    }

    private String results() {
        return names(Reference.OUTPUTS, count);
    }

    private List<Operand> values() {
        return Collections.nCopies(count, operand);
    }

    private String address() {
        return switch (space) {
            case "shared" -> "[%cell]";
            case "local" -> "[own]";
            default -> "[%room]";
        };
    }

    private static String fill(String space, String address) {
        return "{.reg .b64 x, y; ld.global.v2.b64 {x, y}, [%room]; st." + space + ".v2.b64 " + address + ", {x, y};}\n";
    }

    /** What stands at the address before; local memory is declared here. */
    private String before() {
        return switch (space) {
            case "shared" -> fill("shared", "[%cell]");
            case "local" -> ".local .align 16 .b8 own[16];\n" + fill("local", "[own]");
            default -> "";
        };
    }

    /** Values in little-endian bytes from {@code at} on. */
    private List<Expected> read(byte[] bytes, int at) {
        List<Expected> all = new ArrayList<>();
        int size = operand.bits() / 8;
        for (int i = 0; i < count; i++) {
            long bits = 0;
            for (int k = 0; k < size; k++) {
                bits |= (bytes[at + i * size + k] & 0xffL) << (8 * k);
            }
            all.add(Expected.whole(operand.whole(bits), operand.registerBits()));
        }
        return all;
    }

    private Reference load() {
        if (space.equals("const")) {
            byte[] table = OpcodeKernel.rooms();
            String module = ".const .align 16 .b8 table[" + TABLE + "] = {"
                    + String.join(
                            ", ",
                            IntStream.range(0, TABLE)
                                    .mapToObj(i -> "" + (table[i] & 255))
                                    .toList())
                    + "};";
            String text =
                    "{.reg .b32 x; .reg .b64 y, z; and.b32 x, %index, 63; mul.wide.u32 y, x, 16; mov.u64 z, table; "
                            + "add.s64 z, z, y; " + opcode.text() + " " + results() + ", [z];}";
            return new Reference(
                    opcode.text(), text, module, List.of(), values(), (in, thread) -> read(table, 16 * (thread & 63)));
        }
        String text = before() + opcode.text() + " " + results() + ", " + address() + ";";
        return new Reference(
                opcode.text(), text, List.of(), values(), (in, thread) -> read(OpcodeKernel.rooms(), 16 * thread));
    }

    /** At two places of a kernel's parameter. */
    private Reference parameter() {
        byte[] bytes = OpcodeKernel.parameter();
        String text = opcode.text() + " %d, [q];\n" + opcode.text() + " %e, [q+24];";
        return new Reference(
                opcode.text(),
                text,
                List.of(),
                operands(type, type),
                (in, thread) ->
                        List.of(read(bytes, 0).getFirst(), read(bytes, 24).getFirst()));
    }

    /** Through a function that gives its parameter back; it reads and writes with this type. */
    private Reference passed() {
        String module = ".func (.param ." + type + " r) same(.param ." + type + " x)\n{\n.reg ." + operand.register()
                + " v;\nld.param." + type + " v, [x];\nst.param." + type + " [r], v;\nret;\n}";
        String text = "{.param ." + type + " x; .param ." + type + " r; st.param." + type
                + " [x], %a; call.uni (r), same, (x); ld.param." + type + " %d, [r];}";
        return new Reference(
                opcode.text(),
                text,
                module,
                operands(type),
                operands(type),
                (in, thread) -> List.of(Expected.bits(in[0][thread])));
    }

    /** The sixteen bytes around the stored ones stay as they were. */
    private Reference store() {
        String text = before() + opcode.text() + " " + address() + ", " + names(Reference.INPUTS, count) + ";\nld."
                + (space.isEmpty() ? "global" : space) + ".v2.b64 {%d, %e}, " + address() + ";";
        int size = operand.bits() / 8;
        return new Reference(opcode.text(), text, values(), operands("b64", "b64"), (in, thread) -> {
            List<Expected> all = new ArrayList<>();
            for (int word = 0; word < 2; word++) {
                long bits = 0;
                for (int k = 0; k < 8; k++) {
                    int at = 8 * word + k;
                    long value = at < count * size
                            ? in[at / size][thread] >>> (8 * (at % size))
                            : OpcodeKernel.rooms()[16 * thread + at];
                    bits |= (value & 0xff) << (8 * k);
                }
                all.add(Expected.bits(bits));
            }
            return all;
        });
    }

    /** Sixteen bytes of the thread's own from global to shared memory, which are there after it waits and not before. */
    private Reference copy() {
        String begin = opcode.has("ca") || opcode.has("cg") ? opcode.text() : "cp.async.cg.shared.global";
        String wait = opcode.has("wait_all") ? "cp.async.wait_all" : "cp.async.wait_group 0";
        String text = "st.shared.v2.b64 [%cell], {%a, %b};\n" + begin + " [%cell], [%room], 16;\n"
                + "cp.async.commit_group;\nld.shared.v2.b64 {%d, %e}, [%cell];\n" + wait + ";\n"
                + "ld.shared.v2.b64 {%f, %g}, [%cell];";
        return new Reference(
                opcode.text(), text, operands("b64", "b64"), operands("b64", "b64", "b64", "b64"), (in, thread) -> {
                    List<Expected> all = new ArrayList<>();
                    all.add(Expected.bits(in[0][thread]));
                    all.add(Expected.bits(in[1][thread]));
                    for (int word = 0; word < 2; word++) {
                        long bits = 0;
                        for (int k = 0; k < 8; k++) {
                            bits |= (OpcodeKernel.rooms()[16 * thread + 8 * word + k] & 0xffL) << (8 * k);
                        }
                        all.add(Expected.bits(bits));
                    }
                    return all;
                });
    }

    /** Of the first operand in memory and the others: what was there, and what is. */
    private Reference atomic() {
        boolean swap = opcode.has("cas");
        String where = space.equals("shared") ? "shared" : "global";
        String bits = ".b" + operand.bits() + " ";
        String text = "st." + where + bits + address() + ", %a;\n" + opcode.text() + " %d, " + address()
                + (swap ? ", %b, %c;" : ", %b;") + "\nld." + where + bits + "%e, " + address() + ";";
        List<Operand> in = swap ? operands(type, type, type) : operands(type, type);
        return new Reference(opcode.text(), text, in, operands(type, type), (values, thread) -> {
            long a = values[0][thread];
            long b = values[1][thread];
            Expected now = swap ? Expected.bits(a == b ? values[2][thread] : a) : now(a, b);
            return List.of(Expected.bits(a), now);
        });
    }

    private Expected now(long a, long b) {
        if (Operand.isPacked(type)) {
            Format half = Format.named(type.substring(0, type.length() - 2));
            return new Expected.Pair(
                    sum(half, a & 0xffff, b & 0xffff), sum(half, a >>> 16 & 0xffff, b >>> 16 & 0xffff), 16);
        }
        if (operand.real()) {
            return sum(Format.named(type), a, b);
        }
        BigInteger x = operand.whole(a);
        BigInteger y = operand.whole(b);
        BigInteger value = switch (opcode.any("add", "min", "max", "and", "or", "xor", "exch", "inc", "dec")) {
            case "add" -> x.add(y);
            case "min" -> x.min(y);
            case "max" -> x.max(y);
            case "and" -> x.and(y);
            case "or" -> x.or(y);
            case "xor" -> x.xor(y);
            case "inc" -> x.compareTo(y) >= 0 ? BigInteger.ZERO : x.add(BigInteger.ONE);
            case "dec" -> x.signum() == 0 || x.compareTo(y) > 0 ? y : x.subtract(BigInteger.ONE);
            default -> y;
        };
        return Expected.whole(value, operand.bits());
    }

    /** Of f32 in global memory subnormals are zeros, as the ISA says; f16, f64 and shared memory keep them. */
    private Expected sum(Format format, long a, long b) {
        boolean flush = format == Format.F32 && !space.equals("shared");
        Exact value = Reals.input(format, a, flush).plus(Reals.input(format, b, flush), Exact.Rounding.NEAREST);
        if (value.isNan()) {
            return new Expected.AnyNan(format);
        }
        long code = format.code(value, Exact.Rounding.NEAREST);
        return Expected.bits(
                flush && format.isSubnormal(code)
                        ? format.code(Exact.zero(value.negative()), Exact.Rounding.NEAREST)
                        : code);
    }

    /** One for what was there, and one for what is. */
    private List<Reference> vector() {
        String values = names(Reference.INPUTS, count);
        String old = opcode.text() + " " + results() + ", [%room], " + values + ";";
        String now = "{.reg ." + operand.register() + " x<4>; " + opcode.text() + " {x0, x1, x2, x3}, [%room], "
                + values + "; ld.global.v4." + operand.register() + " " + results() + ", [%room];}";
        return List.of(
                new Reference(
                        opcode.text(),
                        old,
                        values(),
                        values(),
                        (in, thread) -> read(OpcodeKernel.rooms(), 16 * thread)),
                new Reference(opcode.text(), now, values(), values(), (in, thread) -> {
                    List<Expected> all = new ArrayList<>();
                    for (int i = 0; i < count; i++) {
                        Expected.Bits before = (Expected.Bits)
                                read(OpcodeKernel.rooms(), 16 * thread).get(i);
                        all.add(now(before.bits(), in[i][thread]));
                    }
                    return all;
                }));
    }

    static @Nullable Reference prefetch(Opcode opcode) {
        if (!opcode.base().startsWith("prefetch")) {
            return null;
        }
        String text = opcode.text() + " [%room];\nld.global.b64 %d, [%room];";
        return new Reference(opcode.text(), text, List.of(), operands("b64"), (in, thread) -> {
            long bits = 0;
            for (int k = 7; k >= 0; k--) {
                bits = bits << 8 | (OpcodeKernel.rooms()[16 * thread + k] & 0xff);
            }
            return List.of(Expected.bits(bits));
        });
    }
}
