package dev.panamark.device.profile;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.panamark.json.IndentedJson;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * Writes profiles as JSON: {@code {"schema": "panamark.profiles/1", "profiles": [...]}}. Every figure is {@code {value,
 * unit, source, computed}} or {@code {value: null, unit, reason}}; {@code peak} has every class that the architecture
 * has a rate for.
 */
public final class ProfileJson {
    private static final String SCHEMA = "panamark.profiles/1";

    private ProfileJson() {}

    /** Renders profiles, indented, with a line end. */
    public static String render(List<DeviceProfile> profiles) {
        return IndentedJson.text(g -> {
            g.writeStartObject();
            g.writeStringField("schema", SCHEMA);
            g.writeArrayFieldStart("profiles");
            for (DeviceProfile p : profiles) {
                profile(g, p);
            }
            g.writeEndArray();
            g.writeEndObject();
        });
    }

    private static void profile(JsonGenerator g, DeviceProfile p) throws IOException {
        g.writeStartObject();
        g.writeStringField("name", p.name());
        texts(g, "aliases", p.aliases());
        g.writeStringField("product", p.product());
        g.writeStringField("vendor", p.architecture().vendor());
        g.writeStringField("architecture", p.architecture().name());
        g.writeStringField("target", p.architecture().target());
        texts(g, "match", p.match());
        texts(g, "pci", p.pci());
        g.writeNumberField("devices", p.devices());
        figure(g, "units", p.units());
        figures(g, "clock", p.clocks());
        figures(g, "rate", p.architecture().rates());
        g.writeObjectFieldStart("peak");
        for (String operation : p.architecture().rates().keySet()) {
            figure(g, operation, p.peak(operation));
        }
        g.writeEndObject();
        figure(g, "bandwidth", p.bandwidth());
        figure(g, "l2", p.l2());
        figure(g, "llc", p.llc());
        figure(g, "power", p.power());
        figure(g, "link", p.link());
        figures(g, "limits", p.architecture().limits());
        g.writeEndObject();
    }

    private static void texts(JsonGenerator g, String name, List<String> texts) throws IOException {
        g.writeArrayFieldStart(name);
        for (String text : texts) {
            g.writeString(text);
        }
        g.writeEndArray();
    }

    private static void figures(JsonGenerator g, String name, Map<String, Figure> figures) throws IOException {
        g.writeObjectFieldStart(name);
        for (Map.Entry<String, Figure> e : figures.entrySet()) {
            figure(g, e.getKey(), e.getValue());
        }
        g.writeEndObject();
    }

    private static void figure(JsonGenerator g, String name, Figure f) throws IOException {
        g.writeObjectFieldStart(name);
        Double value = f.value();
        if (value == null) {
            g.writeNullField("value");
            g.writeStringField("unit", f.unit());
            g.writeStringField("reason", f.reason());
        } else {
            if (value == Math.rint(value) && value < 0x1p53) {
                g.writeNumberField("value", value.longValue());
            } else {
                g.writeNumberField("value", value);
            }
            g.writeStringField("unit", f.unit());
            g.writeStringField("source", f.source());
            g.writeBooleanField("computed", f.computed());
        }
        g.writeEndObject();
    }
}
