package dev.panamark.ptx.runtime;

import dev.panamark.ptx.OutOfDeviceMemory;
import dev.panamark.ptx.check.BlockChecker;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Functions of the device's runtime that kernels call. Addresses are generic; texts end with a 0. */
final class DeviceRuntime {
    /** Bytes of a text at most. */
    private static final int LONGEST = 16 * 1024;

    private DeviceRuntime() {}

    /** Arguments one after the other in memory, each aligned to its size. */
    private static final class Packed implements Printf.Arguments {
        private final Warp warp;
        private final int lane;
        private final int site;
        private final long start;
        private int at;

        Packed(Warp warp, int lane, int site, long start) {
            this.warp = warp;
            this.lane = lane;
            this.site = site;
            this.start = start;
        }

        @Override
        public long next(int bytes) {
            at = (at + bytes - 1) & -bytes;
            long value = Memory.generic(warp, lane, site, start + at, bytes);
            at += bytes;
            return value;
        }

        @Override
        public String text(long address) {
            return address == 0 ? "(null)" : DeviceRuntime.text(warp, lane, site, address);
        }
    }

    /** {@code vprintf}; how many arguments it printed. */
    static int print(Warp warp, int lane, int site, long format, long arguments) {
        Printf.Result result = Printf.format(text(warp, lane, site, format), new Packed(warp, lane, site, arguments));
        warp.output().print(result.text());
        return result.conversions();
    }

    /** {@code __assertfail}. */
    static void failAssertion(Warp warp, int lane, int site, long text, long file, long function, int line) {
        Warp.trap(
                warp,
                lane,
                site,
                "assertion `" + text(warp, lane, site, text) + "` failed at " + text(warp, lane, site, file) + ":"
                        + line + " in " + text(warp, lane, site, function));
    }

    /** {@code malloc}: memory that stays until a kernel frees it, of this launch or a later one; 0 where there is none. */
    static long allocate(Warp warp, long bytes) {
        if (bytes < 0 || bytes > warp.memory.bytes()) {
            return 0;
        }
        try {
            long address = warp.memory.allocate(bytes);
            BlockChecker checker = warp.checker();
            if (checker != null) {
                checker.allocated(address, bytes);
            }
            return address;
        } catch (OutOfDeviceMemory e) {
            return 0;
        }
    }

    /** {@code free}. */
    static void free(Warp warp, int lane, int site, long address) {
        if (address == 0) {
            return;
        }
        try {
            warp.memory.free(address);
        } catch (IllegalArgumentException e) {
            throw warp.undefined(
                    site, lane, e.getMessage() + "; expected what malloc returned, and that it is freed once");
        }
    }

    private static String text(Warp warp, int lane, int site, long address) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (long at = address; bytes.size() < LONGEST; at++) {
            int next = (int) Memory.generic(warp, lane, site, at, 1);
            if (next == 0) {
                break;
            }
            bytes.write(next);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
