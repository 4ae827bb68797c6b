package dev.panamark.worker;

import dev.panamark.ptx.JvmFlags;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Why a worker died, as far as its output and its crash report tell. */
final class LastWords {
    private static final String FRAME = "# Problematic frame:";
    private static final int TAIL = 3;
    private static final int LONGEST_LINE = 300;

    /** Linux numbers its signals from 1 to this; a status above is a program's own. */
    private static final int SIGNALS = 64;

    /** Bytes of a file that are looked at; a kernel may print without end. */
    private static final int LOOK = 64 * 1024;

    private LastWords() {}

    /** The crash report's name in the worker's folder. */
    static final String CRASH_REPORT = "crash.log";

    static String of(Path folder, Process process) {
        if (process.isAlive()) {
            return "the worker closed its line without ending" + tail(folder);
        }
        int code = process.exitValue();
        List<String> report = lines(folder.resolve(CRASH_REPORT), false);
        if (!report.isEmpty()) {
            return crash(report);
        }
        String signal =
                code > 128 && code <= 128 + SIGNALS ? " (signal " + (code - 128) + signalName(code - 128) + ")" : "";
        return "the worker ended with status " + code + signal + tail(folder);
    }

    /** "SIGSEGV in [saxpy.so+0x112e] saxpy+0x1e", from the head of an hs_err file. */
    static String crash(List<String> report) {
        String signal = "a crash";
        String frame = "";
        for (int i = 0; i < report.size(); i++) {
            String line = report.get(i).strip();
            if (line.startsWith("# There is insufficient memory")) {
                return "the worker ended for lack of memory"
                        + (i + 1 < report.size()
                                ? ": "
                                        + report.get(i + 1)
                                                .replaceFirst("^# ", "")
                                                .strip()
                                : "");
            }
            if (line.startsWith("#  SIG") || line.startsWith("#  Internal Error") || line.startsWith("#  EXCEPTION")) {
                signal = line.substring(1).strip().replaceAll(" \\(0x[0-9a-f]+\\).*", "");
            }
            if (line.equals(FRAME) && i + 1 < report.size()) {
                // "C" and "V" mean native code outside and inside the JVM, which the library's name says too.
                frame = report.get(i + 1)
                        .replaceFirst("^# *", "")
                        .replaceFirst("^[CV] +(?=\\[)", "")
                        .replaceAll("\\s+", " ")
                        .strip();
                break;
            }
        }
        return "the kernel crashed the worker: " + signal + (frame.isEmpty() ? "" : " in " + frame);
    }

    private static String signalName(int signal) {
        return switch (signal) {
            case 4 -> ", SIGILL";
            case 6 -> ", SIGABRT";
            case 7 -> ", SIGBUS";
            case 8 -> ", SIGFPE";
            case 9 -> ", SIGKILL: ended from outside, often for lack of memory";
            case 11 -> ", SIGSEGV";
            case 15 -> ", SIGTERM";
            default -> "";
        };
    }

    /** What the worker printed last, after a semicolon; empty when it printed nothing. */
    static String tail(Path folder) {
        List<String> output = lines(folder.resolve("output"), true).stream()
                .filter(l -> !l.isBlank() && !l.equals(JvmFlags.WARNING))
                .map(l -> l.length() > LONGEST_LINE ? l.substring(0, LONGEST_LINE) + "..." : l)
                .toList();
        if (output.isEmpty()) {
            return "";
        }
        return "; it last printed: "
                + String.join(" | ", output.subList(Math.max(0, output.size() - TAIL), output.size()));
    }

    private static List<String> lines(Path file, boolean end) {
        try (FileChannel channel = FileChannel.open(file)) {
            long size = channel.size();
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(LOOK, size));
            channel.position(end ? size - bytes.capacity() : 0);
            while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
                // Until it is full, or the file has become shorter.
            }
            return StandardCharsets.UTF_8
                    .decode(bytes.flip())
                    .toString()
                    .lines()
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
