package dev.panamark.kernel.check;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.format.Formats;
import java.util.function.LongPredicate;

/** Which elements of an output are to be judged, by position: all, or those that a part of a launch wrote. */
final class Written {
    private Written() {}

    /** All of them. */
    static LongPredicate all() {
        return i -> true;
    }

    /** Of an output those that do not hold both poisons, of an inout those that are not as they were. */
    static LongPredicate some(Buffer buffer, Tensor a, Tensor b, Inputs inputs) {
        if (buffer.role() == Buffer.Role.INOUT) {
            Tensor before = inputs.get(buffer.name());
            return i -> Formats.bits(a, i) != Formats.bits(before, i) || Formats.bits(b, i) != Formats.bits(before, i);
        }
        long poisonA = Poison.A.bits(buffer.type().bytes());
        long poisonB = a.data().equals(b.data())
                ? poisonA
                : Poison.B.bits(buffer.type().bytes());
        return i -> Formats.bits(a, i) != poisonA || Formats.bits(b, i) != poisonB;
    }
}
