package dev.panamark.ptx;

import static dev.panamark.ptx.Reference.operands;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** {@code setp} and {@code set} of all types, by exact values. */
final class Comparisons {
    private Comparisons() {}

    static Reference reference(Opcode opcode) {
        String type = opcode.type();
        String combine = opcode.any("and", "or", "xor");
        boolean setp = opcode.base().equals("setp");
        // Of f16 and bf16 there is no second predicate.
        boolean both = setp && !type.equals("f16") && !type.equals("bf16");
        boolean packed = Operand.isPacked(type);
        String result = setp ? "pred" : opcode.types().getFirst();
        List<Operand> in = new ArrayList<>(operands(type, type));
        StringBuilder text = new StringBuilder(opcode.text()).append(both ? " %d|%e, %a, %b" : " %d, %a, %b");
        if (!combine.isEmpty()) {
            in.add(Operand.of("pred"));
            text.append(", %c");
        }
        List<Operand> out = both ? operands("pred", "pred") : operands(result);
        return new Reference(opcode.text(), text.append(';').toString(), List.copyOf(in), out, (values, thread) -> {
            long a = values[0][thread];
            long b = values[1][thread];
            boolean c = !combine.isEmpty() && values[2][thread] != 0;
            String part = packed ? type.substring(0, type.length() - 2) : type;
            int width = Operand.bits(part);
            boolean low = holds(opcode, part, a, b);
            boolean high = packed ? holds(opcode, part, a >>> width, b >>> width) : !low;
            boolean first = combined(combine, low, c);
            boolean second = combined(combine, high, c);
            if (setp && !both) {
                return List.of(Expected.bits(first ? 1 : 0));
            }
            if (both) {
                return List.of(Expected.bits(first ? 1 : 0), Expected.bits(second ? 1 : 0));
            }
            if (packed) {
                long one = switch (result) {
                    case "f16x2" -> 0x3c00;
                    case "bf16x2" -> 0x3f80;
                    default -> 0xffff;
                };
                return List.of(Expected.bits((first ? one : 0) | (second ? one : 0) << 16));
            }
            long one = switch (result) {
                case "f32" -> 0x3f800000;
                case "f16" -> 0x3c00;
                case "bf16" -> 0x3f80;
                default -> (1L << Operand.bits(result)) - 1;
            };
            return List.of(Expected.bits(first ? one : 0));
        });
    }

    private static boolean combined(String how, boolean p, boolean q) {
        return switch (how) {
            case "and" -> p && q;
            case "or" -> p || q;
            case "xor" -> p != q;
            default -> p;
        };
    }

    private static boolean holds(Opcode opcode, String type, long a, long b) {
        String comparison = opcode.modifiers().getFirst();
        int order;
        if (Operand.isReal(type)) {
            Format format = Format.named(type);
            Exact x = Reals.input(format, a, opcode.has("ftz"));
            Exact y = Reals.input(format, b, opcode.has("ftz"));
            boolean nan = x.isNan() || y.isNan();
            if (comparison.equals("num") || comparison.equals("nan")) {
                return nan == comparison.equals("nan");
            }
            if (nan) {
                return Arrays.asList("equ", "neu", "ltu", "leu", "gtu", "geu").contains(comparison);
            }
            order = x.compare(y);
        } else {
            Operand operand = Operand.of(type);
            order = operand.whole(a).compareTo(operand.whole(b));
        }
        return switch (comparison) {
            case "eq", "equ" -> order == 0;
            case "ne", "neu" -> order != 0;
            case "lt", "ltu", "lo" -> order < 0;
            case "le", "leu", "ls" -> order <= 0;
            case "gt", "gtu", "hi" -> order > 0;
            case "ge", "geu", "hs" -> order >= 0;
            default -> throw new IllegalArgumentException(opcode.text());
        };
    }
}
