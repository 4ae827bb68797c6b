package dev.panamark.measure;

import dev.panamark.device.Bound;
import dev.panamark.device.CacheSweep;
import dev.panamark.device.Device;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.DeviceInfo;
import dev.panamark.device.Entry;
import dev.panamark.device.Hold;
import dev.panamark.device.MissingEntryException;
import dev.panamark.device.Module;
import dev.panamark.device.Timer;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Argument;
import dev.panamark.kernel.Catalogue;
import dev.panamark.kernel.Image;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.DoubleSupplier;

/**
 * A device in host memory. Its kernels are Java, an image is a file of any content, and a launch takes as long as
 * {@link #launchSeconds} says by a clock that nothing else moves.
 */
final class FakeDevice implements Device {
    static final int GUARD = 16;
    private static final byte UNTOUCHED = 0x55;

    /** A kernel. */
    @FunctionalInterface
    interface Code {
        /** Runs on the buffers among its arguments, in their order. */
        void run(List<Memory> buffers);
    }

    final FakeClock clock;
    final SequencedMap<String, Number> values = new LinkedHashMap<>();
    final Map<String, Code> entries = new HashMap<>();
    DoubleSupplier launchSeconds = () -> 0.001;
    double emptySeconds = 1e-5;
    boolean sweeps = true;
    int sweepCount;
    final FakeHold hold = new FakeHold();
    double resolution = 1e-9;
    int launches;
    int open;

    FakeDevice(FakeClock clock) {
        this.clock = clock;
    }

    FakeDevice with(String entry, Code code) {
        entries.put(entry, code);
        return this;
    }

    /** Memory of a buffer with a zone on either side that kernels can reach by bad indices. */
    final class Memory implements DeviceBuffer {
        private final MemorySegment all;
        private final MemorySegment data;

        private Memory(long bytes) {
            all = MemorySegment.ofArray(new byte[Math.toIntExact(bytes + 2 * GUARD)])
                    .fill(UNTOUCHED);
            data = all.asSlice(GUARD, bytes);
            open++;
        }

        int floats() {
            return Math.toIntExact(data.byteSize() / Float.BYTES);
        }

        float get(int i) {
            return all.get(ValueLayout.JAVA_FLOAT_UNALIGNED, GUARD + 4L * i);
        }

        void set(int i, float value) {
            all.set(ValueLayout.JAVA_FLOAT_UNALIGNED, GUARD + 4L * i, value);
        }

        byte firstByte() {
            return data.get(ValueLayout.JAVA_BYTE, 0);
        }

        @Override
        public long size() {
            return data.byteSize();
        }

        @Override
        public void upload(MemorySegment from) {
            data.copyFrom(from.asSlice(0, size()));
        }

        @Override
        public void download(MemorySegment to) {
            to.asSlice(0, size()).copyFrom(data);
        }

        @Override
        public void fill(byte value) {
            data.fill(value);
        }

        @Override
        public Optional<String> damage() {
            for (long i = 0; i < all.byteSize(); i++) {
                boolean inside = i >= GUARD && i < GUARD + size();
                if (!inside && all.get(ValueLayout.JAVA_BYTE, i) != UNTOUCHED) {
                    return Optional.of("byte " + (i - GUARD) + " was written");
                }
            }
            return Optional.empty();
        }

        @Override
        public void close() {
            open--;
        }
    }

    @Override
    public DeviceInfo info() {
        return new DeviceInfo("cpu:9", "cpu", "Simulated 9", "0-9", values, new LinkedHashMap<>());
    }

    @Override
    public DeviceBuffer allocate(String name, long bytes) {
        return new Memory(bytes);
    }

    @Override
    public Module load(Image image) {
        open++;
        return new Module() {
            @Override
            public Entry entry(String name) {
                if (name.equals(Catalogue.EMPTY_ENTRY)) {
                    return (args, buffers) -> (grid, block, shared) -> clock.advance(emptySeconds);
                }
                Code code = entries.get(name);
                if (code == null) {
                    throw new MissingEntryException("no entry '" + name + "'; there are " + entries.keySet());
                }
                return (args, buffers) -> bind(code, args, buffers);
            }

            @Override
            public SequencedMap<String, Object> facts() {
                return new LinkedHashMap<>(Map.of("compiler", "none"));
            }

            @Override
            public String imageHash() {
                return "cafe";
            }

            @Override
            public void close() {
                open--;
            }
        };
    }

    private Bound bind(Code code, List<Argument> args, Map<String, DeviceBuffer> buffers) {
        List<Memory> memory = new ArrayList<>();
        for (Argument arg : args) {
            if (arg instanceof Argument.BufferAddress(String buffer) && buffers.get(buffer) instanceof Memory m) {
                memory.add(m);
            }
        }
        return (grid, block, shared) -> {
            launches++;
            clock.advance(launchSeconds.getAsDouble());
            code.run(memory);
        };
    }

    @Override
    public Availability<Timer> timer() {
        return Availability.of(new Timer() {
            @Override
            public String clock() {
                return "simulated";
            }

            @Override
            public double resolution() {
                return resolution;
            }

            @Override
            public double time(Runnable work) {
                long start = clock.nanos();
                work.run();
                return (clock.nanos() - start) * 1e-9;
            }
        });
    }

    @Override
    public Hold hold() {
        hold.held++;
        return hold;
    }

    @Override
    public Availability<CacheSweep> cacheSweep() {
        return sweeps
                ? Availability.of(new CacheSweep() {
                    @Override
                    public void sweep() {
                        sweepCount++;
                        clock.advance(0.005);
                    }

                    @Override
                    public SequencedMap<String, Object> facts() {
                        return new LinkedHashMap<>(Map.of("bytes_written", 64L));
                    }
                })
                : Availability.missing("no cache is known", "Measure hot.");
    }

    @Override
    public void synchronize() {}

    @Override
    public void close() {}
}
