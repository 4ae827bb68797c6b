package dev.panamark.kernel;

import java.util.Set;

/** Where the names of an expression have their values: one problem, one device, perhaps one set of inputs. */
interface Scope {

    /** The value of an axis or a let: a Rational, a String or a Boolean. */
    Object value(String name);

    /** A value of the device. */
    Rational device(String name);

    /** A function of buffers. */
    Rational call(Formula.Call call);

    /** The values of some names, {@code " (kv_len=128 page=0)"}, for messages. */
    String situation(Set<String> names);

    /** The device has no value of this name, so whatever needs it is unsupported there. */
    final class MissingDeviceValue extends RuntimeException {
        private static final long serialVersionUID = 1L;

        MissingDeviceValue(String message) {
            super(message, null, false, false);
        }
    }
}
