package dev.panamark.ptx;

import dev.panamark.ptx.check.Check;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Kernels with a fault, and twins without. 64 threads; {@code %r1} is the thread, {@code %rd2} is 16 bytes of its own in global
 * memory with data, {@code %rd3} in global memory that nobody wrote, {@code %r2} in shared memory; {@code %r3} in shared memory is
 * that of a thread of the other warp, {@code %r4} that of the next lane.
 *
 * @param kind as findings name it
 * @param fault lines of PTX; the one that does it ends with {@link #HERE}, what it does not fit with with {@link #THERE}
 * @param twin the same without the fault
 */
record Planted(String name, Check check, String kind, String fault, String twin) {
    static final String HERE = "// here";
    static final String THERE = "// there";
    static final int THREADS = 64;

    /** Of each buffer and of shared memory. */
    static final int BYTES = 16 * THREADS;

    private static final String BEGIN = """
            .shared .align 16 .b8 s[1024];
            .shared .align 16 .b8 last[4];
            .shared .align 1 .b8 odd[3];
            mov.u32 %r1, %tid.x;
            mul.wide.u32 %rd10, %r1, 16;
            add.s64 %rd2, %rd0, %rd10;
            add.s64 %rd3, %rd1, %rd10;
            shl.b32 %r10, %r1, 4;
            mov.u32 %r11, s;
            add.s32 %r2, %r11, %r10;
            xor.b32 %r12, %r10, 512;
            add.s32 %r3, %r11, %r12;
            add.s32 %r13, %r10, 16;
            and.b32 %r13, %r13, 511;
            and.b32 %r14, %r10, 512;
            or.b32 %r13, %r13, %r14;
            add.s32 %r4, %r11, %r13;
            mov.u32 %r20, %r1;
            cvt.u64.u32 %rd20, %r1;
            setp.eq.u32 %p1, %r1, 0;
            setp.lt.u32 %p2, %r1, 32;
            and.b32 %r15, %r1, 31;
            setp.lt.u32 %p3, %r15, 16;
            """;

    private static final String BARRIER = "bar.sync 0;\n";
    private static final String WARP_BARRIER = "bar.warp.sync -1;\n";

    /** The whole text, with or without the fault. */
    String text(boolean faulty) {
        return Texts.kernel(2, BEGIN + (faulty ? fault : twin));
    }

    /** The line of the text with that mark; -1 without. */
    int line(String mark) {
        String text = text(true);
        int at = text.indexOf(mark);
        return at < 0
                ? -1
                : (int) text.substring(0, at).chars().filter(c -> c == '\n').count() + 1;
    }

    @Override
    public String toString() {
        return check.tag() + ": " + name;
    }

    private static String load(String space, int width, String address) {
        return switch (width) {
            case 1 -> "ld." + space + ".u8 %r30, [" + address + "];";
            case 2 -> "ld." + space + ".u16 %r30, [" + address + "];";
            case 4 -> "ld." + space + ".u32 %r30, [" + address + "];";
            case 8 -> "ld." + space + ".u64 %rd30, [" + address + "];";
            default -> "ld." + space + ".v4.u32 {%r30, %r31, %r32, %r33}, [" + address + "];";
        };
    }

    private static String store(String space, int width, String address) {
        return switch (width) {
            case 1 -> "st." + space + ".u8 [" + address + "], %r20;";
            case 2 -> "st." + space + ".u16 [" + address + "], %r20;";
            case 4 -> "st." + space + ".u32 [" + address + "], %r20;";
            case 8 -> "st." + space + ".u64 [" + address + "], %rd20;";
            default -> "st." + space + ".v4.u32 [" + address + "], {%r20, %r20, %r20, %r20};";
        };
    }

    private static String atomic(String space, int width, String address) {
        return width == 4
                ? "atom." + space + ".add.u32 %r30, [" + address + "], %r20;"
                : "atom." + space + ".add.u64 %rd30, [" + address + "], %rd20;";
    }

    private static String access(String what, String space, int width, String address) {
        return switch (what) {
            case "load" -> load(space, width, address);
            case "store" -> store(space, width, address);
            default -> atomic(space, width, address);
        };
    }

    private static List<Integer> widths(String what) {
        return what.equals("atomic") ? List.of(4, 8) : List.of(1, 2, 4, 8, 16);
    }

    private static String here(String line) {
        return line + " " + HERE + "\n";
    }

    private static String there(String line) {
        return line + " " + THERE + "\n";
    }

    static List<Planted> all() {
        List<Planted> all = new ArrayList<>();
        for (String space : List.of("shared", "global")) {
            String own = space.equals("shared") ? "%r2" : "%rd2";
            String nothing = space.equals("shared") ? "%r2" : "%rd3";
            for (String what : List.of("load", "store", "atomic")) {
                for (int width : widths(what)) {
                    String name = String.format(Locale.ROOT, "%s of %d bytes, %s", what, width, space);
                    String written = store(space, 16, own) + "\n";
                    String right = written + access(what, space, width, own);
                    all.add(new Planted(
                            name + ", beyond",
                            Check.MEMORY,
                            "out-of-bounds",
                            written + here(access(what, space, width, own + "+" + 2 * BYTES)),
                            right));
                    if (width > 1) {
                        all.add(new Planted(
                                name + ", misaligned",
                                Check.MEMORY,
                                "misaligned",
                                written + here(access(what, space, width, own + "+1")),
                                right));
                    }
                    if (!what.equals("store")) {
                        all.add(new Planted(
                                name + ", of nothing",
                                Check.INITIALISED,
                                "uninitialised-read",
                                here(access(what, space, width, nothing)),
                                store(space, 16, nothing) + "\n" + access(what, space, width, nothing)));
                    }
                }
            }
        }
        for (int width : widths("load")) {
            races(all, width);
        }
        atomics(all);
        copies(all);
        flags(all);
        barriers(all);
        return all;
    }

    private static void races(List<Planted> all, int width) {
        String written = store("shared", 16, "%r2") + "\n" + BARRIER;
        for (boolean near : new boolean[] {false, true}) {
            String other = near ? "%r4" : "%r3";
            String barrier = near ? WARP_BARRIER : BARRIER;
            String name = width + " bytes, " + (near ? "same warp" : "other warp");
            String writes = store("shared", width, "%r2");
            String reads = load("shared", width, other);
            String later = "add.u32 %r20, %r20, 1;\nadd.u64 %rd20, %rd20, 1;\n";
            all.add(new Planted(
                    "read after write of " + name,
                    Check.RACE,
                    "read-after-write",
                    written + later + there(writes) + here(reads),
                    written + later + writes + "\n" + barrier + reads));
            all.add(new Planted(
                    "write after read of " + name,
                    Check.RACE,
                    "write-after-read",
                    written + later + there(reads) + here(writes),
                    written + later + reads + "\n" + barrier + writes));
            all.add(new Planted(
                    "write after write of " + name,
                    Check.RACE,
                    "write-after-write",
                    written + later + there(writes) + here(store("shared", width, other)),
                    written + later + writes + "\n" + barrier + store("shared", width, other)));
        }
        all.add(new Planted(
                "all write their number to one place, " + width + " bytes",
                Check.RACE,
                "write-after-write",
                here(store("shared", width, "%r11")),
                "mov.u32 %r20, 7;\nmov.u64 %rd20, 7;\n" + store("shared", width, "%r11")));
    }

    private static void atomics(List<Planted> all) {
        String zero = "mov.u32 %r21, 0;\n@%p1 st.shared.u32 [%r11], %r21;\n" + BARRIER;
        String add = "red.shared.add.u32 [%r11], 1;";
        String read = load("shared", 4, "%r11");
        all.add(new Planted(
                "read after atomics",
                Check.RACE,
                "read-after-write",
                zero + there(add) + here(read),
                zero + add + "\n" + BARRIER + read));
        all.add(new Planted(
                "write after atomics",
                Check.RACE,
                "write-after-write",
                zero + there(add) + here("@%p1 st.shared.u32 [%r11], 5;".replace("5", "%r20")),
                zero + add + "\n" + BARRIER + "@%p1 st.shared.u32 [%r11], %r20;"));
        all.add(new Planted(
                "atomics after a write",
                Check.RACE,
                "write-after-write",
                "@%p1 st.shared.u32 [%r11], %r20; " + THERE + "\n" + BARRIER.replace("bar.sync 0", "bar.warp.sync -1")
                        + here(add),
                "@%p1 st.shared.u32 [%r11], %r20;\n" + BARRIER + add));
    }

    private static void copies(List<Planted> all) {
        String begin = "cp.async.ca.shared.global [%r2], [%rd2], 16;";
        String commit = "cp.async.commit_group;\n";
        String wait = "cp.async.wait_group 0;\n";
        String own = load("shared", 4, "%r2");
        String other = load("shared", 4, "%r3");
        all.add(new Planted(
                "a copy that its thread does not wait for",
                Check.RACE,
                "copy-not-awaited",
                there(begin) + commit + here(own),
                begin + "\n" + commit + wait + own));
        all.add(new Planted(
                "a copy that its thread does not wait for before the barrier",
                Check.RACE,
                "read-after-write",
                there(begin) + commit + BARRIER + here(other),
                begin + "\n" + commit + wait + BARRIER + other));
        all.add(new Planted(
                "a copy over what others still read",
                Check.RACE,
                "write-after-read",
                store("shared", 16, "%r2") + "\n" + BARRIER + there(other) + here(begin) + commit + wait,
                store("shared", 16, "%r2") + "\n" + BARRIER + other + "\n" + BARRIER + begin + "\n" + commit + wait));
        all.add(new Planted(
                "a copy of nothing",
                Check.INITIALISED,
                "uninitialised-read",
                here("cp.async.ca.shared.global [%r2], [%rd3], 16;") + commit + wait,
                "cp.async.ca.shared.global [%r2], [%rd3], 16, 0;\n" + commit + wait));
    }

    /** The first warp hands something on to the second one through a flag. */
    private static void flags(List<Planted> all) {
        String zero = "mov.u32 %r21, 0;\n@%p1 st.shared.u32 [last], %r21;\n" + BARRIER;
        String produce = "@!%p2 bra WAIT;\n" + there(store("shared", 4, "%r2")) + "FENCE" + "bar.warp.sync -1;\n"
                + "mov.u32 %r22, 1;\n@%p1 st.volatile.shared.u32 [last], %r22;\nbra.uni END;\n";
        String consume = "WAIT:\nld.volatile.shared.u32 %r23, [last];\nsetp.eq.u32 %p5, %r23, 0;\n@%p5 bra WAIT;\nFENCE"
                + here(load("shared", 4, "%r3")) + "END:\n";
        String fence = "fence.acq_rel.cta;\n";
        String all4 = zero + produce + consume;
        // The barrier of the warp comes before its fence in the right one: the lanes' writes come before that of lane
        // 0.
        String right = zero
                + "@!%p2 bra WAIT;\n" + store("shared", 4, "%r2") + "\nbar.warp.sync -1;\n" + fence
                + "mov.u32 %r22, 1;\n@%p1 st.volatile.shared.u32 [last], %r22;\nbra.uni END;\n"
                + "WAIT:\nld.volatile.shared.u32 %r23, [last];\nsetp.eq.u32 %p5, %r23, 0;\n@%p5 bra WAIT;\n" + fence
                + load("shared", 4, "%r3") + "\nEND:\n";
        all.add(new Planted("a flag without fences", Check.RACE, "read-after-write", all4.replace("FENCE", ""), right));
        all.add(new Planted(
                "a flag with a fence of its reader only",
                Check.RACE,
                "read-after-write",
                zero + produce.replace("FENCE", "") + consume.replace("FENCE", fence),
                right));
        String releases = right.replace(fence, "")
                .replace("st.volatile.shared", "st.release.cta.shared")
                .replace("ld.volatile.shared", "ld.acquire.cta.shared");
        all.add(new Planted(
                "a flag that is relaxed",
                Check.RACE,
                "read-after-write",
                all4.replace("FENCE", "")
                        .replace("st.volatile.shared", "st.relaxed.cta.shared")
                        .replace("ld.volatile.shared", "ld.relaxed.cta.shared"),
                releases));
    }

    private static void barriers(List<Planted> all) {
        String write = store("shared", 4, "%r2");
        String read = load("shared", 4, "%r3");
        all.add(new Planted(
                "warps at barriers of different numbers",
                Check.SYNC,
                "deadlock",
                "@%p2 bra ONE;\nbar.sync 1;\nbra.uni END;\nONE:\nbar.sync 2; " + HERE + "\nEND:\n",
                "@%p2 bra ONE;\nbar.sync 1;\nbra.uni END;\nONE:\nbar.sync 1;\nEND:\n"
                        .replace("bar.sync 1;\nbra.uni END", "bra.uni TWO")
                        .replace("bar.sync 1;\nEND:", "TWO:\nbar.sync 1;\nEND:")));
        all.add(new Planted(
                "warps at different places of one barrier",
                Check.SYNC,
                "different-barriers",
                "@%p2 bra ONE;\n" + here("bar.sync 0;") + "bra.uni END;\nONE:\n" + there("bar.sync 0;") + "END:\n",
                "@%p2 bra ONE;\nmov.u32 %r40, 1;\nONE:\nbar.sync 0;\n"));
        all.add(new Planted(
                "half of a warp at a barrier",
                Check.SYNC,
                "divergent-barrier",
                "@!%p3 bra REST;\n" + here("bar.sync 0;")
                        + "bra.uni END;\nREST:\nbar.sync 1, 64;\nEND:\n"
                                .replace("bar.sync 1, 64;", "mov.u32 %r40, 1;\nbarrier.sync 0;"),
                "@!%p3 bra REST;\nmov.u32 %r40, 1;\nREST:\nbar.sync 0;\n"));
        all.add(new Planted(
                "too few threads for a barrier's number",
                Check.SYNC,
                "deadlock",
                "@!%p2 bra END;\n" + here("bar.sync 1, 64;") + "END:\n",
                "@!%p2 bra END;\nbar.sync 1, 32;\nEND:\n"));
        all.add(new Planted(
                "a shuffle whose mask leaves its lane out",
                Check.SYNC,
                "undefined",
                here("shfl.sync.bfly.b32 %r40, %r1, 1, 31, 0x0000ffff;"),
                "shfl.sync.bfly.b32 %r40, %r1, 1, 31, 0xffffffff;"));
        all.add(new Planted(
                "a producer that does not come to its barrier before it is used",
                Check.RACE,
                "read-after-write",
                "@!%p2 bra READ;\nbar.arrive 1, 64;\n" + there(write) + "bra.uni END;\nREAD:\nbar.sync 1, 64;\n"
                        + here(read) + "END:\n",
                "@!%p2 bra READ;\n" + write + "\nbar.arrive 1, 64;\nbra.uni END;\nREAD:\nbar.sync 1, 64;\n" + read
                        + "\nEND:\n"));
        String half = "bar.warp.sync MASK;\n";
        String next = "xor.b32 %r41, %r10, 16;\nadd.s32 %r42, %r11, %r41;\n";
        String far = "xor.b32 %r41, %r10, 256;\nadd.s32 %r42, %r11, %r41;\n";
        String parts = "mov.u32 %r43, 0xffff;\nselp.u32 %r44, %r43, 0xffff0000, %p3;\n";
        String meets = half.replace("MASK", "%r44");
        all.add(new Planted(
                "halves of a warp that meet on their own",
                Check.RACE,
                "read-after-write",
                far + parts + there(write) + meets + here(load("shared", 4, "%r42")),
                next + parts + write + "\n" + meets + load("shared", 4, "%r42")));
        String again = "add.u32 %r20, %r20, 1;\n";
        all.add(new Planted(
                "halves of a warp that read and write again",
                Check.RACE,
                "write-after-read",
                next + parts + write + "\n" + meets + there(load("shared", 4, "%r42")) + again + here(write),
                next + parts + write + "\n" + meets + load("shared", 4, "%r42") + "\n" + load("shared", 4, "%r2") + "\n"
                        + meets + again + write));
        String rotated = """
                add.u32 %r48, %r15, 1;
                and.b32 %r48, %r48, 31;
                shl.b32 %r48, %r48, 4;
                add.u32 %r48, %r48, %r14;
                add.u32 %r49, %r11, %r48;
                """;
        all.add(new Planted(
                "a place that its own thread reads too after another",
                Check.RACE,
                "write-after-read",
                rotated + write + "\nbar.sync 0;\n" + there(load("shared", 4, "%r49")) + load("shared", 4, "%r2") + "\n"
                        + again + here(write),
                rotated + write + "\nbar.sync 0;\n" + load("shared", 4, "%r49") + "\n" + load("shared", 4, "%r2") + "\n"
                        + WARP_BARRIER + again + write));
        all.add(new Planted(
                "a part of a warp at a barrier, the rest later at the same",
                Check.SYNC,
                "divergent-barrier",
                "@%p3 bra EARLY;\n" + there("bar.sync 0;") + "bra.uni END;\nEARLY:\n" + here("bar.sync 0;") + "END:\n",
                "@%p3 exit;\nbar.sync 0;\n"));
        all.add(new Planted(
                "a word of a struct that nobody wrote",
                Check.INITIALISED,
                "uninitialised-read",
                "st.shared.u8 [%r2], %r20;\n" + here("ld.shared.v2.u32 {%r50, %r51}, [%r2];"),
                "st.shared.u8 [%r2], %r20;\nst.shared.u32 [%r2+4], %r20;\nld.shared.v2.u32 {%r50, %r51}, [%r2];"));
        String mbarrier = "@%p1 mbarrier.init.shared.b64 [%r11+16], 64;\n" + BARRIER;
        String arrive = "mbarrier.arrive.shared.b64 %rd40, [%r11+16];\n";
        String await = "WAIT:\nmbarrier.test_wait.shared.b64 %p6, [%r11+16], %rd40;\n@!%p6 bra WAIT;\n";
        String big =
                ".shared .align 16 .b8 t[1024];\nmov.u32 %r45, t;\nadd.s32 %r46, %r45, %r10;\nadd.s32 %r47, %r45, %r12;\n";
        all.add(new Planted(
                "a write after the arrival at an mbarrier",
                Check.RACE,
                "read-after-write",
                big + mbarrier + arrive + there(store("shared", 4, "%r46")) + await + here(load("shared", 4, "%r47")),
                big + mbarrier + store("shared", 4, "%r46") + "\n" + arrive + await + load("shared", 4, "%r47")));
        all.add(new Planted(
                "a write while others still read what came before the mbarrier",
                Check.RACE,
                "write-after-read",
                big + mbarrier + store("shared", 4, "%r46") + "\n" + arrive + await + there(load("shared", 4, "%r47"))
                        + again + here(store("shared", 4, "%r46")) + arrive + await.replace("WAIT", "AGAIN"),
                big + mbarrier + store("shared", 4, "%r46") + "\n" + arrive + await + load("shared", 4, "%r47") + "\n"
                        + arrive + await.replace("WAIT", "AGAIN") + again + store("shared", 4, "%r46")));
        all.add(new Planted(
                "an mbarrier that is used before all know it",
                Check.RACE,
                "read-after-write",
                there(mbarrier.replace("\n" + BARRIER, "")) + here(arrive.strip()) + await,
                mbarrier + arrive + await));
    }
}
