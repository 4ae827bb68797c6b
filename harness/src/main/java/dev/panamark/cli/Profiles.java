package dev.panamark.cli;

import dev.panamark.device.profile.DeviceProfile;
import dev.panamark.device.profile.DeviceProfiles;
import dev.panamark.device.profile.Figure;
import dev.panamark.device.profile.ProfileJson;
import dev.panamark.report.ProfileView;
import dev.panamark.report.ProfileView.FigureView;
import dev.panamark.report.ProfilesTable;
import dev.panamark.result.WholeFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Answers {@code panamark devices --profiles}. */
final class Profiles {
    private final Surroundings surroundings;
    private final PrintWriter out;

    Profiles(Surroundings surroundings, PrintWriter out) {
        this.surroundings = surroundings;
        this.out = out;
    }

    /**
     * Prints.
     *
     * @param name a profile or an alias; empty for all
     * @param json where JSON goes; null for a table
     * @throws CommandFailed exit code 2, when there is no such profile
     */
    void show(String name, @Nullable String json) {
        DeviceProfiles profiles = DeviceProfiles.shipped();
        List<DeviceProfile> chosen = name.isEmpty() ? profiles.all() : List.of(named(profiles, name));
        if (json != null) {
            String text = ProfileJson.render(chosen);
            if (json.equals("-")) {
                out.print(text);
            } else {
                WholeFile.write(Path.of(json), text);
            }
        } else if (name.isEmpty()) {
            out.print(ProfilesTable.overview(
                    chosen.stream().map(Profiles::view).toList(), surroundings.width(), surroundings.color()));
        } else {
            out.print(ProfilesTable.detail(view(chosen.getFirst()), surroundings.width(), surroundings.color()));
        }
        out.flush();
    }

    private static DeviceProfile named(DeviceProfiles profiles, String name) {
        return profiles.named(name)
                .or(() -> profiles.ofDriverName(name))
                .orElseThrow(() -> new CommandFailed(
                        ExitCode.BAD_INPUT,
                        "there is no profile '" + name + "'; there are "
                                + profiles.all().stream()
                                        .map(DeviceProfile::name)
                                        .collect(Collectors.joining(", "))));
    }

    private static ProfileView view(DeviceProfile p) {
        SequencedMap<String, FigureView> figures = new LinkedHashMap<>();
        figures.put("units", view(p.units()));
        p.clocks().forEach((name, f) -> figures.put("clock " + name, view(f)));
        p.architecture().rates().forEach((name, f) -> figures.put("rate " + name, view(f)));
        p.architecture().rates().keySet().forEach(name -> figures.put("peak " + name, view(p.peak(name))));
        figures.put("bandwidth", view(p.bandwidth()));
        figures.put("l2", view(p.l2()));
        figures.put("llc", view(p.llc()));
        figures.put("power", view(p.power()));
        figures.put("link", view(p.link()));
        p.architecture().limits().forEach((name, f) -> figures.put(name.replace('_', ' '), view(f)));
        String heading = p.product() + " \u00b7 " + p.architecture().vendor() + " "
                + p.architecture().name() + " (" + p.architecture().target() + ")"
                + (p.devices() > 1 ? " \u00b7 shown by the driver as " + p.devices() + " devices" : "")
                + (p.aliases().isEmpty() ? "" : " \u00b7 also " + String.join(", ", p.aliases()));
        return new ProfileView(p.name(), heading, figures);
    }

    private static FigureView view(Figure f) {
        String from = f.value() == null ? f.reason() : f.source();
        return new FigureView(f.value(), f.unit(), f.computed(), Objects.requireNonNullElse(from, ""));
    }
}
