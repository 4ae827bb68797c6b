package dev.panamark.ptx.check;

import dev.panamark.ptx.KernelFault;
import org.jspecify.annotations.Nullable;

/**
 * Something that a kernel did wrong, as it was seen first.
 *
 * @param kind such as {@code read-after-write}
 * @param text what the thread did, without the place
 * @param place of it; null where no single thread is at fault
 * @param other the access before it that it does not fit with; null where there is none
 * @param count how often one like it was seen: of this kind at these two instructions
 */
public record Finding(
        Check check,
        String kind,
        String text,
        KernelFault.@Nullable Place place,
        KernelFault.@Nullable Place other,
        long count) {}
