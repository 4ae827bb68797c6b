package dev.panamark.cli;

import dev.panamark.device.DeviceException;
import dev.panamark.device.MeterInfo;
import dev.panamark.device.PowerMeter;
import dev.panamark.report.DeviceView;
import dev.panamark.report.DevicesTable;
import dev.panamark.report.Numbers;
import dev.panamark.worker.Meters;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code panamark devices}. */
@Command(
        name = "devices",
        description = "List the devices that can be measured, why others cannot, and the meters of energy.")
final class DevicesCommand implements Callable<Integer> {
    private final Surroundings surroundings;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = "--profiles",
            arity = "0..1",
            fallbackValue = "",
            paramLabel = "NAME",
            description = "What is published about devices: all in a table, or one with every source.")
    private @Nullable String profiles;

    @Option(names = "--json", paramLabel = "FILE|-", description = "With --profiles: write them as JSON.")
    private @Nullable String json;

    /** Values of {@code device.*} that count bytes. */
    private static final Set<String> BYTES = Set.of("llc", "memory");

    private static String text(Object value) {
        return switch (value) {
            case Map<?, ?> map ->
                map.entrySet().stream()
                        .map(e -> e.getKey() + "=" + text(e.getValue()))
                        .collect(Collectors.joining(", "));
            case Collection<?> list -> list.stream().map(DevicesCommand::text).collect(Collectors.joining(", "));
            default -> value.toString();
        };
    }

    DevicesCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        if (profiles != null) {
            new Profiles(surroundings, spec.commandLine().getOut()).show(profiles, json);
            return ExitCode.OK.status();
        }
        if (json != null) {
            throw new CommandFailed(ExitCode.BAD_INPUT, "--json goes with --profiles");
        }
        DeviceChoice devices = new DeviceChoice(surroundings);
        List<DeviceView> views = new ArrayList<>();
        devices.found().values().forEach(c -> {
            SequencedMap<String, String> facts = new LinkedHashMap<>();
            c.info()
                    .values()
                    .forEach((name, value) -> facts.put(
                            "device." + name,
                            BYTES.contains(name) ? Numbers.bytes(value.doubleValue()) : value.toString()));
            c.info().facts().forEach((name, value) -> facts.put(name, text(value)));
            views.add(new DeviceView(c.info().id(), c.info().name(), "available", facts));
        });
        meters(views);
        devices.missing()
                .forEach((backend, absences) -> absences.forEach(absence -> views.add(
                        new DeviceView(backend, "", "unavailable: " + absence.text(), new LinkedHashMap<>()))));
        spec.commandLine().getOut().print(DevicesTable.render(views, surroundings.width(), surroundings.color()));
        spec.commandLine().getOut().flush();
        return (devices.isEmulatedOnly() ? ExitCode.NOTHING_THERE : ExitCode.OK).status();
    }

    /** Meters that are there; why others are not, {@code doctor} says. */
    private void meters(List<DeviceView> views) {
        try (Meters meters = Meters.of(surroundings.env())) {
            for (PowerMeter meter : meters.found()) {
                MeterInfo info = meter.info();
                SequencedMap<String, String> facts = new LinkedHashMap<>();
                facts.put("scope", info.scope().tag());
                if (info.quantity() == MeterInfo.Quantity.POWER) {
                    facts.put("shows", watts(meter));
                }
                facts.put("reads", info.place());
                facts.putAll(meter.facts());
                views.add(new DeviceView(info.id(), info.method() + " of " + info.device(), "available", facts));
            }
        }
    }

    private static String watts(PowerMeter meter) {
        try {
            return Numbers.significant(meter.read() * meter.info().unit(), 4) + " W";
        } catch (DeviceException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
