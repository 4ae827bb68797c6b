package dev.panamark.ptx.parse;

/**
 * A line of the program from which the PTX was compiled, by {@code .loc}.
 *
 * @param file as {@code .file} names it
 * @param line from 1
 */
public record SourceLine(String file, int line) {
    @Override
    public String toString() {
        return file + ":" + line;
    }
}
