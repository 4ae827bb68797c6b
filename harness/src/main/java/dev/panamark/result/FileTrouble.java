package dev.panamark.result;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Locale;

/** Turns what the file system said into what a person should read. */
final class FileTrouble {
    private FileTrouble() {}

    /** The folder that a file lies or would lie in. */
    static Path folder(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        return parent == null ? file.toAbsolutePath() : parent;
    }

    /** Why {@code file} cannot be written and what to do. */
    static ResultWriteException writing(Path file, IOException e) {
        return new ResultWriteException("cannot write " + file + ": " + cause(file, e), e);
    }

    private static String cause(Path file, IOException e) {
        Path folder = folder(file);
        if (Files.isDirectory(file)) {
            return "it is a directory; name a file in it";
        }
        if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS) && !Files.isDirectory(folder)) {
            return folder + " is not a directory; choose another place";
        }
        if (e instanceof NoSuchFileException && !Files.exists(folder)) {
            return "the directory " + folder + " does not exist; create it (mkdir -p) or choose another place";
        }
        if (e instanceof NotDirectoryException) {
            return "a part of its path is a file, not a directory; choose another place";
        }
        if (e instanceof FileAlreadyExistsException) {
            return "it exists already; resume it, delete it or choose another name";
        }
        if (e instanceof AccessDeniedException) {
            return "no permission to write in " + folder + "; choose another place or change its rights";
        }
        return words(e);
    }

    /** What the system said, where no path explains it. */
    static String words(IOException e) {
        String said = String.valueOf(
                e instanceof FileSystemException f && f.getReason() != null ? f.getReason() : e.getMessage());
        String lower = said.toLowerCase(Locale.ROOT);
        if (lower.contains("no space left")) {
            return "the disk is full; free some space or choose another place";
        }
        if (lower.contains("quota exceeded")) {
            return "your disk quota is used up; free some space or choose another place";
        }
        if (lower.contains("read-only file system")) {
            return "the file system is mounted read-only; choose another place";
        }
        if (lower.contains("file name too long")) {
            return "its name is too long; choose a shorter one";
        }
        if (lower.contains("operation not permitted")) {
            return "the system does not permit it; choose another place";
        }
        if (lower.contains("broken pipe")) {
            return "the program that reads it has ended";
        }
        return said + "; choose another place";
    }
}
