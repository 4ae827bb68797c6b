package dev.panamark.worker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Why a worker died, as far as its output and its crash report tell. */
final class LastWords {
    private static final String FRAME = "# Problematic frame:";
    private static final int TAIL = 3;

    private LastWords() {}

    /** The crash report's name in the worker's folder. */
    static final String CRASH_REPORT = "crash.log";

    static String of(Path folder, Process process) {
        if (process.isAlive()) {
            return "the worker closed its line without ending" + tail(folder);
        }
        int code = process.exitValue();
        List<String> report = lines(folder.resolve(CRASH_REPORT));
        if (!report.isEmpty()) {
            return crash(report);
        }
        String signal = code > 128 ? " (signal " + (code - 128) + signalName(code - 128) + ")" : "";
        return "the worker ended with status " + code + signal + tail(folder);
    }

    /** "SIGSEGV in [saxpy.so+0x112e] saxpy+0x1e", from the head of an hs_err file. */
    static String crash(List<String> report) {
        String signal = "a crash";
        String frame = "";
        for (int i = 0; i < report.size(); i++) {
            String line = report.get(i).strip();
            if (line.startsWith("#  SIG") || line.startsWith("#  Internal Error") || line.startsWith("#  EXCEPTION")) {
                signal = line.substring(1).strip().replaceAll(" \\(0x[0-9a-f]+\\).*", "");
            }
            if (line.equals(FRAME) && i + 1 < report.size()) {
                frame = report.get(i + 1).replaceFirst("^# ", "").strip();
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

    private static String tail(Path folder) {
        List<String> output = lines(folder.resolve("output")).stream()
                .filter(l -> !l.isBlank())
                .toList();
        if (output.isEmpty()) {
            return "";
        }
        return "; it last printed: "
                + String.join(" | ", output.subList(Math.max(0, output.size() - TAIL), output.size()));
    }

    private static List<String> lines(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
