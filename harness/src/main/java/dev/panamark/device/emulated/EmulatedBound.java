package dev.panamark.device.emulated;

import dev.panamark.device.Bound;
import dev.panamark.device.DeviceException;
import dev.panamark.device.UnsupportedException;
import dev.panamark.kernel.Dim3;
import dev.panamark.ptx.Counts;
import dev.panamark.ptx.Extent;
import dev.panamark.ptx.KernelFault;
import dev.panamark.ptx.KernelInfo;
import dev.panamark.ptx.LaunchOptions;
import dev.panamark.ptx.LinkedModule;
import dev.panamark.ptx.OutOfDeviceMemory;
import java.util.ArrayList;
import java.util.List;

/** A kernel with its parameters; a launch returns when it is done. */
final class EmulatedBound implements Bound {
    /** What {@link LaunchOptions#blocks} takes for all of them. */
    private static final List<Long> ALL = List.of();

    private final EmulatedDevice device;
    private final LinkedModule module;
    private final KernelInfo kernel;
    private final Registers registers;
    private final ParameterBytes parameters;
    private final LaunchOptions options;

    EmulatedBound(
            EmulatedDevice device,
            LinkedModule module,
            KernelInfo kernel,
            Registers registers,
            ParameterBytes parameters) {
        this.registers = registers;
        this.device = device;
        this.module = module;
        this.kernel = kernel;
        this.parameters = parameters;
        Number units = device.info().values().get("units");
        LaunchOptions plain = LaunchOptions.plain().threads(device.threads());
        this.options = units == null ? plain : plain.multiprocessors(units.intValue());
    }

    @Override
    public void launch(Dim3 grid, Dim3 block, long shared) {
        device.requireOpen();
        parameters.requireOpen();
        long all = shared + kernel.sharedBytes();
        if (all > device.limits().sharedPerBlock()) {
            throw new UnsupportedException(kernel.name() + " takes " + all + " bytes of shared memory a block, and "
                    + device.info().id() + " has " + device.limits().sharedPerBlock());
        }
        if (registers.exact()
                && new OccupancyRules(device.limits())
                                .of(block.count(), registers.ofThread(), all, "")
                                .share()
                        == 0) {
            throw new UnsupportedException(kernel.name() + ": no block of " + block.count() + " threads fits an SM of "
                    + device.info().id() + " with " + registers.ofThread()
                    + " registers a thread; use fewer threads, or"
                    + " __launch_bounds__");
        }
        Tallies tallies = device.tallies();
        try {
            Tally.Launch launch = new Tally.Launch(kernel, registers, grid.count(), block.count(), shared);
            LaunchOptions how = device.printing(options.counting(tallies != null));
            how = device.explainer().looking(device.faults().looking(how), launch);
            List<List<Long>> groups = device.groups(grid);
            List<Counts> parts = new ArrayList<>();
            for (List<Long> blocks : groups.isEmpty() ? List.of(ALL) : groups) {
                parts.add(module.launch(
                        kernel.name(),
                        extent("grid", grid),
                        extent("block", block),
                        (int) shared,
                        parameters.bytes(),
                        how.blocks(blocks)));
            }
            if (tallies != null) {
                tallies.add(launch, groups, parts);
            }
        } catch (IllegalArgumentException | OutOfDeviceMemory e) {
            throw new UnsupportedException(String.valueOf(e.getMessage()), e);
        } catch (KernelFault e) {
            device.faults().ended(e);
            throw new DeviceException(String.valueOf(e.getMessage()), e);
        }
    }

    private Extent extent(String which, Dim3 size) {
        if (size.x() > Integer.MAX_VALUE || size.y() > Integer.MAX_VALUE || size.z() > Integer.MAX_VALUE) {
            throw new UnsupportedException(
                    kernel.name() + ": a " + which + " of " + size + " is more than a GPU takes (2^31 - 1)");
        }
        return new Extent((int) size.x(), (int) size.y(), (int) size.z());
    }
}
