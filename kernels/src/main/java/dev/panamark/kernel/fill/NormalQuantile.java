package dev.panamark.kernel.fill;

/**
 * Inverse of the standard normal distribution function: M. J. Wichura, "Algorithm AS 241: The percentage points of the
 * normal distribution", Applied Statistics 37 (1988), routine PPND16, relative accuracy about 1e-16.
 * The same bits on every machine.
 */
final class NormalQuantile {
    private NormalQuantile() {}

    /**
     * The value below which a standard normal variable lies with a given probability.
     *
     * @param p strictly between 0 and 1
     */
    static double of(double p) {
        double q = p - 0.5;
        if (Math.abs(q) <= 0.425) {
            return q * centre(0.180625 - q * q);
        }
        double r = Math.sqrt(-StrictMath.log(q < 0 ? p : 1 - p));
        double z = r <= 5 ? shoulder(r - 1.6) : tail(r - 5);
        return q < 0 ? -z : z;
    }

    private static double centre(double r) {
        return polynomial(
                        r,
                        2509.0809287301227,
                        33430.57558358813,
                        67265.7709270087,
                        45921.95393154987,
                        13731.69376550946,
                        1971.5909503065513,
                        133.14166789178438,
                        3.3871328727963665)
                / polynomial(
                        r,
                        5226.495278852854,
                        28729.085735721943,
                        39307.89580009271,
                        21213.794301586597,
                        5394.196021424751,
                        687.1870074920579,
                        42.31333070160091,
                        1);
    }

    private static double shoulder(double r) {
        return polynomial(
                        r,
                        0.0007745450142783414,
                        0.022723844989269184,
                        0.2417807251774506,
                        1.2704582524523684,
                        3.6478483247632045,
                        5.769497221460691,
                        4.630337846156546,
                        1.4234371107496835)
                / polynomial(
                        r,
                        1.0507500716444169E-09,
                        0.0005475938084995345,
                        0.015198666563616457,
                        0.14810397642748008,
                        0.6897673349851,
                        1.6763848301838038,
                        2.053191626637759,
                        1);
    }

    private static double tail(double r) {
        return polynomial(
                        r,
                        2.0103343992922881E-07,
                        2.7115555687434876E-05,
                        0.0012426609473880784,
                        0.026532189526576124,
                        0.29656057182850487,
                        1.7848265399172913,
                        5.463784911164114,
                        6.657904643501103)
                / polynomial(
                        r,
                        2.0442631033899397E-15,
                        1.421511758316446E-07,
                        1.8463183175100548E-05,
                        0.0007868691311456133,
                        0.014875361290850615,
                        0.1369298809227358,
                        0.599832206555888,
                        1);
    }

    private static double polynomial(
            double r, double c7, double c6, double c5, double c4, double c3, double c2, double c1, double c0) {
        return ((((((c7 * r + c6) * r + c5) * r + c4) * r + c3) * r + c2) * r + c1) * r + c0;
    }
}
