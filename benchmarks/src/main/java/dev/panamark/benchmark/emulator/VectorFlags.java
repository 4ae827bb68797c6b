package dev.panamark.benchmark.emulator;

import dev.panamark.ptx.JvmFlags;

/** Prints what a worker of an emulated device is started with, a line each, for the script. */
final class VectorFlags {
    private VectorFlags() {}

    /** Takes no arguments. */
    public static void main(String[] args) {
        JvmFlags.vectors().forEach(System.out::println);
    }
}
