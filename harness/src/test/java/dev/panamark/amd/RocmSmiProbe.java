package dev.panamark.amd;

import dev.panamark.driver.rocmsmi.RocmSmi;
import dev.panamark.driver.rocmsmi.RocmSmiDevice;
import dev.panamark.driver.rocmsmi.RocmSmiException;
import dev.panamark.driver.rocmsmi.RocmSmiUnavailableException;
import dev.panamark.ffi.Availability;
import java.util.Locale;
import java.util.function.Supplier;

/** Asks the real library for everything, in a process that it may abort: a line for each answer. */
public final class RocmSmiProbe {
    private RocmSmiProbe() {}

    /** Without arguments. */
    public static void main(String[] args) {
        switch (RocmSmi.find(System.getenv())) {
            case Availability.Unavailable<RocmSmi> none -> say("absent", none::text);
            case Availability.Available<RocmSmi>(RocmSmi smi) -> {
                try (smi) {
                    say("file", smi::file);
                    say("version", smi::version);
                    for (int i = 0; i < smi.deviceCount(); i++) {
                        RocmSmiDevice gpu = smi.device(i);
                        say("address", gpu::pciAddress);
                        say("name", gpu::name);
                        say("unique id", () -> String.format(Locale.ROOT, "%016x", gpu.uniqueId()));
                        say("power", () -> gpu.power().toString());
                        say("cap", () -> Long.toString(gpu.powerCap()));
                        say("energy", () -> Long.toString(gpu.energyCount()));
                        say("junction", () -> Long.toString(gpu.temperature(RocmSmiDevice.Sensor.JUNCTION)));
                    }
                }
            }
        }
        say("end", () -> "reached");
    }

    private static void say(String what, Supplier<String> answer) {
        String text;
        try {
            text = answer.get();
        } catch (RocmSmiException | RocmSmiUnavailableException e) {
            text = String.valueOf(e.getMessage());
        }
        System.out.println(what + ": " + text);
    }
}
