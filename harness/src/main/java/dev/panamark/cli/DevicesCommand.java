package dev.panamark.cli;

import dev.panamark.report.DeviceView;
import dev.panamark.report.DevicesTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code panamark devices}. */
@Command(name = "devices", description = "List the devices that can be measured, and why others cannot.")
final class DevicesCommand implements Callable<Integer> {
    private final Surroundings surroundings;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    DevicesCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        DeviceChoice devices = new DeviceChoice(surroundings);
        List<DeviceView> views = new ArrayList<>();
        devices.found().values().forEach(c -> {
            SequencedMap<String, Object> facts = new LinkedHashMap<>(c.info().values());
            facts.putAll(c.info().facts());
            views.add(new DeviceView(c.info().id(), c.info().name(), "available", facts));
        });
        devices.missing().forEach((backend, absences) -> absences.forEach(absence -> views.add(
                new DeviceView(backend, "", "unavailable: " + absence.text(), new LinkedHashMap<>()))));
        spec.commandLine().getOut().print(DevicesTable.render(views, surroundings.width()));
        spec.commandLine().getOut().flush();
        return (devices.found().isEmpty() ? ExitCode.NOTHING_THERE : ExitCode.OK).status();
    }
}
