package dev.panamark.cli;

import dev.panamark.device.DeviceException;
import dev.panamark.kernel.KernelFileException;
import dev.panamark.result.ResultFileException;
import dev.panamark.result.ResultWriteException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program. */
@Command(
        name = "panamark",
        description = "Measures GPU kernels: right or wrong, time, share of peak, tokens. Runs on the host CPU (cpu:0)"
                + " where there is no GPU.",
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Exit codes: 0 all right; 1 a row is wrong, failed or timed out; 2 bad command line or input file;",
            "3 the device asked for is not there; 4 measured but not to be trusted, or not all of it;",
            "130 interrupted, 143 terminated (what was finished is on disk)."
        })
public final class Main implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = CommandLine.ScopeType.INHERIT,
            description = "Show this help.")
    private boolean help;

    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version.")
    private boolean version;

    /** Runs the command line and ends the process with its exit code. */
    public static void main(String[] args) {
        AnswerStream answer = new AnswerStream(new FileOutputStream(FileDescriptor.out));
        PrintWriter out = new PrintWriter(answer, false, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        int code = run(Surroundings.ofProcess(), out, err, args);
        out.flush();
        if (answer.lost() && code == ExitCode.OK.status()) {
            err.println("panamark: standard output could not be written (is the disk full?); the answer is lost");
            code = ExitCode.BAD_INPUT.status();
        }
        err.flush();
        System.exit(code);
    }

    /** Runs one command line; nothing of it touches the process but a signal handler while rows are measured. */
    static int run(Surroundings surroundings, PrintWriter out, PrintWriter err, String... args) {
        CommandLine line = commandLine(surroundings);
        line.setOut(out);
        line.setErr(err);
        return line.execute(args);
    }

    static CommandLine commandLine(Surroundings surroundings) {
        CommandLine line = new CommandLine(new Main());
        line.addSubcommand(new DevicesCommand(surroundings));
        line.addSubcommand(new DoctorCommand(surroundings));
        line.addSubcommand(new ListCommand(surroundings));
        line.addSubcommand(new RunCommand(surroundings));
        CommandLine energy = new CommandLine(new EnergyCommand(surroundings));
        energy.setStopAtPositional(true); // what follows the name of a command is the command's
        line.addSubcommand(energy);
        line.addSubcommand(new CompareCommand(surroundings));
        line.addSubcommand(new EmulateCommand(surroundings));
        line.addSubcommand(new RehearseCommand());
        line.setUsageHelpWidth(100);
        line.setExpandAtFiles(false); // "@name" is a name like any other
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setAbbreviatedSubcommandsAllowed(false);
        line.setParameterExceptionHandler(Main::badCommandLine);
        line.setExecutionExceptionHandler(Main::failed);
        return line;
    }

    private static int badCommandLine(ParameterException e, String[] args) {
        PrintWriter err = e.getCommandLine().getErr();
        err.println("panamark: " + e.getMessage());
        if (!CommandLine.UnmatchedArgumentException.printSuggestions(e, err)) {
            err.println("'" + e.getCommandLine().getCommandSpec().qualifiedName() + " --help' lists what there is.");
        }
        return status(e.getCommandLine(), List.of(args), ExitCode.BAD_INPUT.status());
    }

    /** Of a failure: with a command to run, one that is not taken for the command's own. */
    private static int status(CommandLine line, List<String> args, int status) {
        boolean runs = line.getCommandSpec().userObject() instanceof EnergyCommand energy
                && (energy.hasCommand() || args.contains("--"));
        return runs ? EnergyCommand.OWN_FAILURE : status;
    }

    private static int failed(Exception e, CommandLine line, CommandLine.ParseResult parsed) {
        line.getErr().println("panamark: " + e.getMessage());
        int status = switch (e) {
            case CommandFailed c -> c.code().status();
            case KernelFileException k -> ExitCode.BAD_INPUT.status();
            case ResultFileException r -> ExitCode.BAD_INPUT.status();
            case ResultWriteException r -> ExitCode.BAD_INPUT.status();
            case DeviceException d -> ExitCode.NOTHING_THERE.status();
            default -> internal(e, line);
        };
        return status(line, List.of(), status);
    }

    private static int internal(Exception e, CommandLine line) {
        StackTraceElement[] where = e.getStackTrace();
        line.getErr()
                .println("panamark: this is a fault of Panamark itself ("
                        + e.getClass().getSimpleName() + (where.length > 0 ? " at " + where[0] : "")
                        + "); please report it with the command line");
        return ExitCode.NOT_RIGHT.status();
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }
}
