package dev.panamark.cli;

import java.io.PrintWriter;
import java.io.Writer;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/**
 * Goes through the commands that only look, and one that runs something, so that the JVM can record which classes they need: the launcher calls it
 * once a build to make its ahead-of-time cache.
 */
@Command(name = "rehearse", hidden = true, description = "Touch what the other commands load.")
final class RehearseCommand implements Callable<Integer> {

    @Override
    public Integer call() {
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        Surroundings surroundings = Surroundings.ofProcess();
        for (String[] args : new String[][] {
            {"--help"}, {"run", "--help"}, {"list"}, {"devices"}, {"doctor"}, {"energy", "-q", "--", "true"}
        }) {
            Main.run(surroundings, nowhere, nowhere, args);
        }
        return ExitCode.OK.status();
    }
}
