package dev.panamark.ffi;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Where to look for a library of the system's.
 *
 * @param candidates in the order of looking
 * @param remedy what to do where none is there, one sentence
 */
public record LibrarySearch(List<Candidate> candidates, String remedy) {
    /** As the loaders of glibc say it. */
    private static final String ABSENT = ": cannot open shared object file: No such file or directory";

    /** Copies the candidates. */
    public LibrarySearch {
        candidates = List.copyOf(candidates);
    }

    /**
     * A place to look at.
     *
     * @param label as reasons name it
     * @param name a path where it holds a slash, otherwise a name that the loader looks for
     */
    public record Candidate(String label, String name) {
        /** One whose name says it all. */
        public static Candidate of(String name) {
            return new Candidate(name, name);
        }
    }

    /**
     * The search that the user's choice makes of this: where the variable is set, its file and no other.
     *
     * @param variable of the environment, holding a path
     */
    public LibrarySearch chosenBy(String variable, Map<String, String> env) {
        String file = env.getOrDefault(variable, "").strip();
        return file.isEmpty()
                ? this
                : new LibrarySearch(
                        List.of(new Candidate(variable + "=" + file, file)),
                        remedy + ", or unset " + variable + " to search the usual places");
    }

    /** The first candidate that the loader takes; else those that are not there, and of others the loader's words. */
    public Availability<SharedLibrary> open() {
        List<String> absent = new ArrayList<>();
        List<String> reasons = new ArrayList<>();
        for (Candidate candidate : candidates) {
            try {
                return Availability.of(SharedLibrary.open(candidate.name()));
            } catch (LoaderException e) {
                String words = String.valueOf(e.getMessage());
                // A library that it needs may be what is missing; that is another matter.
                if (words.contains(candidate.name() + ABSENT)) {
                    absent.add(candidate.label());
                } else {
                    reasons.add(candidate.label() + ": " + words);
                }
            }
        }
        if (!absent.isEmpty()) {
            reasons.addFirst(list(absent) + (absent.size() == 1 ? " is not there" : " are not there"));
        }
        return new Availability.Unavailable<>(reasons, remedy);
    }

    private static String list(List<String> names) {
        int last = names.size() - 1;
        return last == 0 ? names.getFirst() : String.join(", ", names.subList(0, last)) + " and " + names.get(last);
    }
}
