package dev.panamark.kernel;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** A kernel in words. */
final class Description {
    /** Longest line. */
    static final int WIDTH = 110;

    private final KernelSpec spec;
    private final StringBuilder out = new StringBuilder();

    Description(KernelSpec spec) {
        this.spec = spec;
    }

    /** All of it. */
    String text() {
        out.setLength(0);
        line("", spec.name() + ": " + spec.purpose());
        line("file", spec.file());
        spec.ceiling().ifPresent(c -> line("ceiling", "measures the most " + c + " per second of a device"));
        spec.images()
                .forEach((backend, choices) -> line(
                        "image " + backend,
                        choices.stream().map(Description::image).collect(Collectors.joining("; "))));
        spec.axes().values().forEach(a -> line("axis " + a.name(), axis(a)));
        spec.zips().forEach(z -> line("zip", String.join(", ", z)));
        spec.lets().forEach((name, f) -> line("let " + name, f.text()));
        spec.where().forEach(f -> line("where", f.text()));
        spec.buffers().values().forEach(b -> line("buffer " + b.name(), buffer(b)));
        spec.tensorMaps()
                .forEach((name, m) -> line(
                        "tensor map " + name,
                        "of " + m.of() + ", dims " + m.dims() + ", box " + m.box() + ", swizzle " + m.swizzle()));
        spec.steps().forEach(s -> line("step", s.text()));
        spec.work().flops().forEach((kind, f) -> line("flops " + kind, f.text()));
        line("bytes read", spec.work().reads().text());
        line("bytes written", spec.work().writes().text());
        spec.work()
                .tokens()
                .ifPresent(t -> line("tokens", t + " (" + spec.work().tokenKind() + ")"));
        spec.check().reference().ifPresent(r -> line("reference", r));
        spec.check().against().ifPresent(f -> line("against", f.text("a kernel")));
        spec.check().conventions().forEach((name, c) -> line("convention " + name, c.toString()));
        spec.check().buffers().forEach((name, b) -> line("reference's " + name, b));
        return out.toString();
    }

    private static String image(ImageSpec image) {
        return image.written()
                + image.when().map(w -> " when " + w).orElse("")
                + image.arch().map(a -> " for " + a.runners()).orElse("")
                + (image.options().isEmpty()
                        ? ""
                        : " " + image.options().stream().map(Template::toString).collect(Collectors.joining(" ")));
    }

    private static String axis(Axis axis) {
        return join(axis.values())
                + axis.perBackend().entrySet().stream()
                        .map((Map.Entry<String, List<Value>> e) -> "; on " + e.getKey() + " " + join(e.getValue()))
                        .collect(Collectors.joining());
    }

    private static String join(List<Value> values) {
        return values.stream().map(Value::toString).collect(Collectors.joining(", "));
    }

    private static String buffer(BufferSpec b) {
        StringBuilder text = new StringBuilder();
        text.append(b.role().name().toLowerCase(Locale.ROOT)).append(' ').append(b.type());
        text.append(' ').append(b.shape().stream().map(Formula::text).collect(Collectors.joining(", ", "[", "]")));
        b.fill().ifPresent(f -> text.append(", ").append(f.text()));
        b.packed().ifPresent(p -> text.append(", ").append(p).append(" numbers in an element"));
        b.scale().ifPresent(s -> text.append(", scaled by ").append(s));
        b.range()
                .ifPresent(r -> text.append(", in [")
                        .append(r.low())
                        .append(", ")
                        .append(r.high())
                        .append(")"));
        b.unused().ifPresent(u -> text.append(", unused ").append(u));
        b.paging().ifPresent(p -> text.append(", pages of ").append(p.table()));
        if (b.role() == Buffer.Role.OUTPUT || b.role() == Buffer.Role.INOUT) {
            text.append(", check ").append(b.check().text(b.type().toString()));
        }
        return text.toString();
    }

    private void line(String label, String text) {
        String indent = " ".repeat(22);
        StringBuilder line = new StringBuilder(label.isEmpty() ? "" : "  " + label + "  ");
        if (!label.isEmpty()) {
            line.append(" ".repeat(Math.max(0, indent.length() - line.length())));
        }
        int filled = line.length();
        for (String word : text.split(" ", -1)) {
            // A word may itself be wider than a line; it is cut rather than left to stick out.
            String rest = word;
            while (true) {
                boolean first = line.length() == filled;
                int room = WIDTH - line.length() - (first ? 0 : 1);
                if (rest.length() <= room) {
                    line.append(first ? "" : " ").append(rest);
                    break;
                }
                if (first) {
                    line.append(rest, 0, room);
                    rest = rest.substring(room);
                }
                out.append(line.toString().stripTrailing()).append('\n');
                line = new StringBuilder(indent);
                filled = indent.length();
            }
        }
        out.append(line.toString().stripTrailing()).append('\n');
    }
}
