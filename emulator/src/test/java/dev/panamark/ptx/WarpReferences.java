package dev.panamark.ptx;

import static dev.panamark.ptx.Reference.operands;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/** What lanes of a warp and threads of a block do together, with loops over all of them. */
final class WarpReferences {
    private static final String ALL = ", -1;";

    private WarpReferences() {}

    /** Null where the opcode is of another kind. */
    static @Nullable Reference of(Opcode opcode) {
        return switch (opcode.base()) {
            case "shfl" -> shuffle(opcode);
            case "vote" -> vote(opcode);
            case "match" -> match(opcode);
            case "redux" -> reduction(opcode);
            case "activemask" -> active(opcode);
            case "bar", "barrier" ->
                opcode.has("red")
                        ? barrierReduction(opcode)
                        : opcode.has("warp")
                                ? exchange(opcode, opcode.text() + " -1;", 32)
                                : exchange(opcode, wait(opcode), Reference.BLOCK);
            default -> null;
        };
    }

    private static Operand few(String type) {
        return new Operand(type, Operand.Domain.FEW);
    }

    /** The rule of the PTX ISA; all lanes take part. */
    private static Reference shuffle(Opcode opcode) {
        String mode = opcode.any("up", "down", "bfly", "idx");
        List<Operand> in = List.of(Operand.of("b32"), new Operand("u32", Operand.Domain.AMOUNT), Operand.of("u32"));
        return new Reference(
                opcode.text(),
                opcode.text() + " %d|%e, %a, %b, %c" + ALL,
                in,
                operands("b32", "pred"),
                (values, thread) -> {
                    int lane = thread & 31;
                    int b = (int) values[1][thread] & 31;
                    int clamp = (int) values[2][thread] & 31;
                    int segment = (int) values[2][thread] >> 8 & 31;
                    int least = lane & segment;
                    int most = least | (clamp & ~segment);
                    int from = switch (mode) {
                        case "up" -> lane - b;
                        case "down" -> lane + b;
                        case "bfly" -> lane ^ b;
                        default -> least | (b & ~segment);
                    };
                    boolean inside = mode.equals("up") ? from >= most : from <= most;
                    int source = inside ? from : lane;
                    return List.of(Expected.bits(values[0][thread - lane + source]), Expected.bits(inside ? 1 : 0));
                });
    }

    private static int mask(int thread, IntPredicate lanes) {
        int mask = 0;
        for (int i = 0; i < 32; i++) {
            mask |= lanes.test((thread & ~31) + i) ? 1 << i : 0;
        }
        return mask;
    }

    private static Reference vote(Opcode opcode) {
        boolean ballot = opcode.has("ballot");
        return new Reference(
                opcode.text(),
                opcode.text() + " %d, %a" + ALL,
                List.of(few("pred")),
                operands(ballot ? "b32" : "pred"),
                (values, thread) -> {
                    int mask = mask(thread, t -> values[0][t] != 0);
                    boolean holds = switch (opcode.any("all", "any", "uni")) {
                        case "all" -> mask == -1;
                        case "any" -> mask != 0;
                        default -> mask == -1 || mask == 0;
                    };
                    return List.of(Expected.bits(ballot ? mask & 0xffffffffL : holds ? 1 : 0));
                });
    }

    private static Reference match(Opcode opcode) {
        boolean all = opcode.has("all");
        return new Reference(
                opcode.text(),
                opcode.text() + (all ? " %d|%e, %a" : " %d, %a") + ALL,
                List.of(few(opcode.type())),
                all ? operands("b32", "pred") : operands("b32"),
                (values, thread) -> {
                    int mask = mask(thread, t -> values[0][t] == values[0][thread]);
                    if (!all) {
                        return List.of(Expected.bits(mask & 0xffffffffL));
                    }
                    boolean same = mask == -1;
                    return List.of(Expected.bits(same ? 0xffffffffL : 0), Expected.bits(same ? 1 : 0));
                });
    }

    private static Reference reduction(Opcode opcode) {
        Operand operand = Operand.of(opcode.type());
        LongBinaryOperator operator = switch (opcode.any("add", "min", "max", "and", "or", "xor")) {
            case "add" -> Long::sum;
            case "min" -> Math::min;
            case "max" -> Math::max;
            case "and" -> (a, b) -> a & b;
            case "or" -> (a, b) -> a | b;
            default -> (a, b) -> a ^ b;
        };
        return new Reference(
                opcode.text(),
                opcode.text() + " %d, %a" + ALL,
                List.of(operand),
                List.of(operand),
                (values, thread) -> {
                    int first = thread & ~31;
                    long result = operand.whole(values[0][first]).longValue();
                    for (int i = 1; i < 32; i++) {
                        result = operator.applyAsLong(
                                result, operand.whole(values[0][first + i]).longValue());
                    }
                    return List.of(Expected.bits(result & 0xffffffffL));
                });
    }

    /** Lanes in a branch that others jump over. */
    private static Reference active(Opcode opcode) {
        String text = "mov.b32 %d, 0;\n@!%a bra OVER;\n" + opcode.text() + " %d;\nOVER:";
        return new Reference(
                opcode.text(),
                text,
                operands("pred"),
                operands("b32"),
                (values, thread) -> List.of(Expected.bits(
                        values[0][thread] == 0 ? 0 : mask(thread, t -> values[0][t] != 0) & 0xffffffffL)));
    }

    private static Reference barrierReduction(Opcode opcode) {
        boolean count = opcode.has("popc");
        return new Reference(
                opcode.text(),
                opcode.text() + " %d, 0, %a;",
                List.of(few("pred")),
                operands(count ? "u32" : "pred"),
                (values, thread) -> {
                    int first = thread / Reference.BLOCK * Reference.BLOCK;
                    int set = 0;
                    for (int i = 0; i < Reference.BLOCK; i++) {
                        set += (int) values[0][first + i];
                    }
                    return List.of(Expected.bits(
                            count ? set : opcode.has("and") ? set == Reference.BLOCK ? 1 : 0 : set > 0 ? 1 : 0));
                });
    }

    /** Clusters of one block: arriving and waiting together are a barrier of the block. */
    private static String wait(Opcode opcode) {
        return opcode.has("cluster")
                ? "barrier.cluster.arrive;\nbarrier.cluster.wait;"
                : opcode.text() + " 0;\n" + opcode.text() + " 3, " + Reference.BLOCK + ";";
    }

    /** Each takes what another, in the same group, left before the barrier. */
    private static Reference exchange(Opcode opcode, String wait, int group) {
        int by = group - 19;
        String text = "st.shared.b32 [%cell], %a;\n" + wait + "\n{.reg .b32 x, y; add.u32 x, %thread, " + by
                + "; and.b32 x, x, " + (group - 1) + "; and.b32 y, %thread, " + -group
                + "; or.b32 x, x, y; mov.u32 y, cells; mad.lo.u32 x, x, 16, y; ld.shared.b32 %d, [x];}";
        return new Reference(opcode.text(), text, operands("b32"), operands("b32"), (values, thread) -> {
            int first = thread & -group;
            return List.of(Expected.bits(values[0][first + (thread + by) % group]));
        });
    }
}
