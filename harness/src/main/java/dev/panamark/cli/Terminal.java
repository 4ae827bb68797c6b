package dev.panamark.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the terminal does with this process. */
final class Terminal {
    /** Fields of /proc/self/stat after the command's name in parentheses, from 0: pgrp is the 5th of all (proc(5)). */
    private static final int PGRP = 2;

    private static final int TTY = 4;
    private static final int FOREGROUND = 5;

    private Terminal() {}

    /**
     * Whether Ctrl-C in a terminal reaches this process, and with it every process that it has started: whether it is
     * in the foreground of one.
     */
    static boolean interruptsUs() {
        try {
            return isForeground(Files.readString(Path.of("/proc/self/stat")));
        } catch (IOException e) {
            return false;
        }
    }

    static boolean isForeground(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
        return fields.length > FOREGROUND && !fields[TTY].equals("0") && fields[PGRP].equals(fields[FOREGROUND]);
    }
}
