package dev.panamark.driver.nvcc;

import dev.panamark.driver.compile.Programs;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Where CUDA toolkits lie. */
final class ToolkitPlaces {
    private static final List<String> CHOICES = List.of("CUDA_HOME", "CUDA_PATH");

    private ToolkitPlaces() {}

    /**
     * A place to look at.
     *
     * @param label as reasons name it
     * @param folder the one that should hold nvcc and ptxas
     */
    record Place(String label, Path folder) {}

    /**
     * What the user chose, if anything; nothing else is looked at then.
     *
     * @return at most one
     */
    static List<Place> chosen(Map<String, String> env) {
        return CHOICES.stream()
                .filter(name -> !env.getOrDefault(name, "").isBlank())
                .limit(1)
                .map(name -> {
                    String home = env.getOrDefault(name, "").strip();
                    return new Place(name + "=" + home, Path.of(home, "bin").toAbsolutePath());
                })
                .toList();
    }

    /**
     * The usual places, in the order of looking; those that are not there are among them.
     *
     * @param root of the file system
     */
    static List<Place> usual(Map<String, String> env, Path root) {
        List<Path> homes = new ArrayList<>();
        homes.add(root.resolve("usr/local/cuda"));
        homes.addAll(versions(root.resolve("usr/local")));
        homes.add(root.resolve("opt/cuda"));
        List<Place> places = new ArrayList<>();
        homes.forEach(home -> places.add(new Place(home.toString(), home.resolve("bin"))));
        Programs.find("nvcc", env)
                .map(Path::getParent)
                .ifPresent(folder -> places.add(new Place(folder.resolve("nvcc") + " on PATH", folder)));
        return places;
    }

    /** {@code cuda-13.0} and the like, the newest first. */
    private static List<Path> versions(Path folder) {
        List<Path> found = new ArrayList<>();
        if (!Files.isDirectory(folder)) {
            return found;
        }
        try (DirectoryStream<Path> homes = Files.newDirectoryStream(folder, "cuda-[0-9]*")) {
            homes.forEach(found::add);
        } catch (IOException e) {
            return List.of(); // a folder that cannot be listed holds nothing that could be run
        }
        found.sort(Comparator.comparing(ToolkitPlaces::version, Arrays::compare).reversed());
        return found;
    }

    private static int[] version(Path home) {
        return Arrays.stream(String.valueOf(home.getFileName()).split("[^0-9]+"))
                .filter(part -> !part.isEmpty() && part.length() < 9)
                .mapToInt(Integer::parseInt)
                .toArray();
    }
}
