package dev.panamark.kernel;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * The shape of a language model's attention, as a preset for axes.
 *
 * @param name as on the command line: {@code llama3-8b}
 * @param axes {@code heads} (of queries), {@code kv_heads} and {@code head_dim}
 * @param layers attention layers; tokens per second of the model are those of one layer divided by it
 * @param source where the figures come from
 */
public record Model(String name, SequencedMap<String, Value> axes, long layers, String source) {
    private static final String RESOURCE = "models.yaml";

    /** Copies, keeping the order. */
    public Model {
        axes = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(axes));
    }

    /**
     * The model of this name.
     *
     * @throws KernelFileException where there is none
     */
    public static Model named(String name) {
        List<Model> all = all();
        return all.stream()
                .filter(m -> m.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new KernelFileException(
                        "--model " + name,
                        0,
                        "",
                        "unknown model"
                                + Near.hint(name, all.stream().map(Model::name).toList())));
    }

    /** All models that are known, in the order of the data file. */
    public static List<Model> all() {
        List<Model> models = new ArrayList<>();
        new Keys(root(), root().entries("models")).fields().forEach((name, field) -> {
            Keys keys = field.keys("layers", "heads", "kv_heads", "head_dim", "source");
            SequencedMap<String, Value> axes = new LinkedHashMap<>();
            for (String axis : List.of("heads", "kv_heads", "head_dim")) {
                axes.put(axis, new Value.Int(number(keys, axis)));
            }
            models.add(new Model(
                    name,
                    axes,
                    number(keys, "layers"),
                    keys.required("source", "a source").text("a source")));
        });
        return models;
    }

    private static long number(Keys keys, String key) {
        return Long.parseLong(keys.required(key, "a number").text("a number"));
    }

    private static Field root() {
        try (InputStream in = Model.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException(RESOURCE + " is missing from the program");
            }
            return YamlFile.parse(RESOURCE, in.readAllBytes());
        } catch (IOException e) {
            throw new IllegalStateException(RESOURCE, e);
        }
    }
}
