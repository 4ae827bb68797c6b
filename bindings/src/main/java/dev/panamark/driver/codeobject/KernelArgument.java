package dev.panamark.driver.codeobject;

/**
 * A place in what a launch hands to a kernel.
 *
 * @param offset bytes from the first
 * @param size bytes
 * @param valueKind {@code by_value}, {@code global_buffer}, {@code hidden_block_count_x} and so on
 */
public record KernelArgument(int offset, int size, String valueKind) {
    /** Whether the runtime fills it; a launch gives only the others. */
    public boolean isHidden() {
        return valueKind.startsWith("hidden_");
    }
}
