package dev.panamark.cli;

import dev.panamark.telemetry.EnergyMode;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How much time goes into energy, on the command line: {@code off}, {@code quick}, {@code screen}, {@code publish}. */
final class EnergyModes implements ITypeConverter<EnergyMode> {
    @Override
    public EnergyMode convert(String text) {
        List<EnergyMode> all = Arrays.asList(EnergyMode.values());
        return all.stream()
                .filter(mode -> mode.tag().equals(text.strip()))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("'" + text + "' is none of "
                        + String.join(", ", all.stream().map(EnergyMode::tag).toList())));
    }
}
