package dev.panamark.device;

import java.util.List;
import java.util.SequencedMap;

/** A loaded image. */
public interface Module extends AutoCloseable {

    /**
     * A function of the image.
     *
     * @throws MissingEntryException when there is none of this name
     */
    Entry entry(String name);

    /** Names of its functions, in the order of the image; empty where the image does not tell. */
    default List<String> entries() {
        return List.of();
    }

    /** What identifies the code: compiler and its version, options, sha256 of source and image; JSON values. */
    SequencedMap<String, Object> facts();

    /** sha256 of the binary that runs, in hex: part of a row's key. */
    String imageHash();

    @Override
    void close();
}
