package dev.panamark.ptx;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** PTX texts of the tests. */
public final class Texts {
    private Texts() {}

    public static String resource(String name) {
        try (InputStream in = Texts.class.getResourceAsStream("/ptx/" + name)) {
            if (in == null) {
                throw new IllegalArgumentException("no resource /ptx/" + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A kernel {@code k} with pointers as parameters, which are in {@code %rd0}, {@code %rd1} and so on. */
    static String kernel(int pointers, String body) {
        StringBuilder text = new StringBuilder(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(");
        for (int i = 0; i < pointers; i++) {
            text.append(i == 0 ? "" : ", ").append(".param .u64 p").append(i);
        }
        text.append(")\n{\n.reg .pred %p<20>;\n.reg .b16 %h<40>;\n.reg .b32 %r<80>;\n.reg .b64 %rd<60>;\n")
                .append(".reg .f32 %f<40>;\n.reg .f64 %d<40>;\n");
        for (int i = 0; i < pointers; i++) {
            text.append("ld.param.u64 %rd").append(i).append(", [p").append(i).append("];\n");
        }
        return text.append(body).append("\nret;\n}\n").toString();
    }
}
