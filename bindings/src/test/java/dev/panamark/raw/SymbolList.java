package dev.panamark.raw;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;

/**
 * What was taken from the headers of a library, as the files beside its bindings say.
 *
 * @param library {@code cuda}
 */
record SymbolList(String library) {
    private Path folder() {
        return Path.of("src/main/java/dev/panamark/raw", library);
    }

    /** The names of a kind: {@code header}, {@code function}, {@code constant}, {@code struct}. */
    List<String> names(String kind) throws IOException {
        return Files.readAllLines(folder().resolve("symbols.txt")).stream()
                .filter(line -> line.startsWith(kind + " "))
                .map(line -> line.substring(kind.length() + 1).strip())
                .toList();
    }

    /** How C calls a structure of the list. */
    String cType(String name) throws IOException {
        for (String kind : List.of("struct", "union")) {
            if (names(kind).contains(name)) {
                return kind + " " + name;
            }
        }
        return name;
    }

    /** SHA-256 of a header that the bindings were made of. */
    String sha256(String header) throws IOException {
        Properties generated = new Properties();
        try (var in = Files.newInputStream(folder().resolve("GENERATED.properties"))) {
            generated.load(in);
        }
        return generated.getProperty(header, "").replaceFirst("^sha256:", "");
    }

    /** The class that jextract made of a name. */
    Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName("dev.panamark.raw." + library + "." + name);
    }

    /** The value of a constant. */
    long value(String name) throws ReflectiveOperationException {
        return ((Number) type(library + "_h").getMethod(name).invoke(null)).longValue();
    }
}
