package dev.panamark.amd;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A folder that stands for /sys with AMD GPUs in it, complete enough for ROCm SMI itself, which was run on such trees with one
 * file missing at a time to find what it needs. All of it lies below {@code class}, so that one mount shows it to a library.
 */
public final class AmdTree {
    /** Counts of 2^-16 J that counters begin with. */
    public static final long COUNTS = 123_456_789_012L;

    private final Path sys;
    private final List<Gpu> gpus = new ArrayList<>();
    private int cards;

    /** {@code sys}: the folder, which need not be there. */
    public AmdTree(Path sys) {
        this.sys = sys;
    }

    /** A product, by the ids and names of AMD. */
    public enum Model {
        MI210("0x740f", "AMD Instinct MI210", "average", 203),
        MI250X("0x7408", "AMD Instinct MI250X", "average", 430),
        MI300X("0x74a1", "AMD Instinct MI300X", "input", 612);

        private final String id;
        private final String product;
        private final String file;
        private final int watts;

        Model(String id, String product, String file, int watts) {
            this.id = id;
            this.product = product;
            this.file = file;
            this.watts = watts;
        }
    }

    /**
     * A GPU of the tree.
     *
     * @param folder of its PCI device
     */
    public record Gpu(Path folder, Model model, String revision) {
        /** Writes one of its files, or replaces it. */
        public Gpu with(String file, String text) throws IOException {
            Path path = folder.resolve(file);
            Files.createDirectories(path.resolveSibling("."));
            Files.writeString(path, text + "\n");
            return this;
        }

        /** Takes one of its files away. */
        public Gpu without(String file) throws IOException {
            Files.delete(folder.resolve(file));
            return this;
        }

        /** Sets gpu_metrics. */
        public Gpu metrics(long counts, int watts) throws IOException {
            Files.write(
                    folder.resolve("gpu_metrics"),
                    MetricsBytes.of(revision, counts, watts).bytes());
            return this;
        }

        /** The file of its sensor of power. */
        public String powerFile() {
            return "hwmon/hwmon0/power1_" + model.file;
        }

        /** Sets the sensor of power; as many digits each time, so that a reader never sees half of an old number. */
        public Gpu power(double watts) throws IOException {
            return with(powerFile(), microwatts(watts));
        }
    }

    private static String microwatts(double watts) {
        return String.format(Locale.ROOT, "%010d", Math.round(watts * 1e6));
    }

    /** The folder. */
    public Path sys() {
        return sys;
    }

    private Path classes() {
        return sys.resolve("class");
    }

    /**
     * Adds one.
     *
     * @param bus of its address {@code 0000:BUS:00.0}
     * @param revision of its gpu_metrics, {@code 1.3}
     */
    public Gpu gpu(Model model, int bus, String revision) throws IOException {
        String address = String.format(Locale.ROOT, "0000:%02x:00.0", bus);
        Path folder =
                classes().resolve("fake/pci0000:" + address.substring(5, 7)).resolve(address);
        Gpu gpu = new Gpu(folder, model, revision);
        card(folder);
        gpu.with("vendor", "0x1002")
                .with("device", model.id)
                .with("product_name", model.product)
                .with("subsystem_vendor", "0x1002")
                .with("subsystem_device", model.id)
                .with("revision", "0x00")
                .with("vbios_version", "113-MADEUP-000")
                .with("unique_id", String.format(Locale.ROOT, "%016x", 0xa1b2c3d4e5f60700L + bus))
                .with("mem_info_vram_total", "206141652992");
        gpu.with("hwmon/hwmon0/name", "amdgpu")
                .with("hwmon/hwmon0/power1_cap", "750000000")
                .with("hwmon/hwmon0/power1_label", "PPT")
                .with("hwmon/hwmon0/in0_label", "vddgfx")
                .with("hwmon/hwmon0/temp1_label", "edge")
                .with("hwmon/hwmon0/temp1_input", "41000")
                .with("hwmon/hwmon0/temp2_label", "junction")
                .with("hwmon/hwmon0/temp2_input", "52500")
                .with("hwmon/hwmon0/temp3_label", "mem")
                .with("hwmon/hwmon0/temp3_input", "45000");
        gpu.power(model.watts).metrics(COUNTS, model.watts);
        gpus.add(gpu);
        topology(bus);
        return gpu;
    }

    /** A further partition of a GPU: a card on a platform device, with no sensors. */
    public void partition(int number) throws IOException {
        Path folder = classes().resolve("fake/platform/amdgpu_xcp_" + number);
        card(folder);
    }

    /** The next card, on the device of this folder. */
    private void card(Path device) throws IOException {
        String card = "card" + cards;
        String render = "renderD" + (128 + cards);
        cards++;
        for (String node : List.of(card, render)) {
            Path folder = Files.createDirectories(device.resolve("drm").resolve(node));
            Files.createSymbolicLink(folder.resolve("device"), Path.of("../../../" + device.getFileName()));
            Path drm = Files.createDirectories(classes().resolve("drm"));
            Files.createSymbolicLink(drm.resolve(node), drm.relativize(folder));
        }
        Files.writeString(device.resolve("drm").resolve(card).resolve("dev"), "226:" + (cards - 1) + "\n");
    }

    /** What the driver of compute shows: the host's node, and one of the GPU. */
    private void topology(int bus) throws IOException {
        node(0, "cpu_cores_count 16\nsimd_count 0\nlocation_id 0\ndomain 0\n", 0);
        node(gpus.size(), """
                cpu_cores_count 0
                simd_count 1216
                hive_id 0
                simd_per_cu 4
                cu_per_simd_array 10
                array_count 32
                simd_arrays_per_engine 1
                gfx_target_version 90402
                vendor_id 4098
                location_id %d
                domain 0
                drm_render_minor %d
                num_xcc 8
                unique_id 1
                """.formatted(bus << 8, 127 + cards), 1000 + gpus.size());
    }

    private void node(int number, String properties, int id) throws IOException {
        Path node = classes().resolve("kfd/kfd/topology/nodes/" + number);
        Files.createDirectories(node.resolve("io_links"));
        Files.writeString(node.resolve("properties"), properties);
        Files.writeString(node.resolve("gpu_id"), id + "\n");
        Files.writeString(node.resolve("name"), "\n");
    }

    /** The folder of a node of compute. */
    public Path node(int number) {
        return classes().resolve("kfd/kfd/topology/nodes/" + number);
    }

    /**
     * Lets the power of a GPU rise from now on, from {@code watts} by {@code slope} W each second: its counter and its sensor
     * follow about each millisecond, and so does the driver's time in gpu_metrics.
     */
    public static Ramp ramp(Gpu gpu, double watts, double slope) throws IOException {
        return new Ramp(gpu, watts, slope);
    }

    /** A power that rises until closed. */
    public static final class Ramp implements AutoCloseable {
        private final double watts;
        private final double slope;
        private final MetricsBytes layout;
        private final FileChannel metrics;
        private final FileChannel sensor;
        private final Thread thread;
        private volatile Path mark = Path.of("/never");
        private volatile double gain = 1;
        private volatile boolean closed;

        private Ramp(Gpu gpu, double watts, double slope) throws IOException {
            this.watts = watts;
            this.slope = slope;
            layout = MetricsBytes.of(gpu.revision, COUNTS, 0);
            metrics = FileChannel.open(gpu.folder.resolve("gpu_metrics"), StandardOpenOption.WRITE);
            sensor = FileChannel.open(gpu.folder.resolve(gpu.powerFile()), StandardOpenOption.WRITE);
            thread = Thread.ofPlatform().daemon().name("ramp").start(this::advance);
        }

        private void advance() {
            long start = System.nanoTime();
            ByteBuffer both = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
            try {
                while (!closed) {
                    long now = System.nanoTime() - start;
                    double t = now * 1e-9;
                    double joules = watts * t + slope * t * t / 2;
                    both.clear();
                    long origin = Files.exists(mark) ? 1 : COUNTS;
                    both.putLong(origin + (long) Math.scalb(joules, 16))
                            .putLong(now)
                            .flip();
                    metrics.write(both, layout.energyAt());
                    sensor.write(
                            ByteBuffer.wrap((microwatts(gain * (watts + slope * t)) + "\n")
                                    .getBytes(StandardCharsets.US_ASCII)),
                            0);
                    Thread.sleep(1);
                }
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Lets the sensor show so many times the power. */
        public void sensorGain(double factor) {
            gain = factor;
        }

        /** Lets the counter begin anew when a file is there. */
        public void beginAnewWith(Path file) {
            mark = file;
        }

        /** J that a copy of gpu_metrics shows. */
        public double joules(Path copy) throws IOException {
            return Math.scalb((double) (number(copy, layout.energyAt()) - COUNTS), -16);
        }

        /** s since the ramp began, of a copy of gpu_metrics. */
        public double seconds(Path copy) throws IOException {
            return number(copy, layout.clockAt()) * 1e-9;
        }

        private static long number(Path copy, int at) throws IOException {
            return ByteBuffer.wrap(Files.readAllBytes(copy))
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .getLong(at);
        }

        /** W at that time. */
        public double watts(double seconds) {
            return watts + slope * seconds;
        }

        @Override
        public void close() throws IOException {
            closed = true;
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            metrics.close();
            sensor.close();
        }
    }
}
