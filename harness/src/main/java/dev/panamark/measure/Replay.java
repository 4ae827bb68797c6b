package dev.panamark.measure;

import dev.panamark.device.Device;
import dev.panamark.device.LaunchGraphs;
import dev.panamark.device.Module;
import dev.panamark.device.Timer;
import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * A pass over each of several sets of buffers, all of them in one graph, so that the host has no part in how they follow each
 * other and none finds its own data in the cache. Kernels that work in place have all sets restored before each graph.
 */
final class Replay implements Subject, AutoCloseable {
    /** Together the sets are larger than the last-level cache by this. */
    private static final int CACHES = 2;

    private static final int FEWEST_SETS = 2;
    private static final int MOST_SETS = 64;

    /** Of the device's memory that all sets may take. */
    private static final double SHARE_OF_MEMORY = 0.25;

    private final Timer timer;
    private final Inputs inputs;
    private final boolean restores;
    private final List<BufferSet> sets;
    private final List<BufferSet> own;
    private final LaunchGraphs.Recorded graph;
    private final Runnable work = this::work;
    private int graphs;

    private Replay(
            Timer timer,
            Inputs inputs,
            boolean restores,
            List<BufferSet> sets,
            List<BufferSet> own,
            LaunchGraphs.Recorded graph) {
        this.timer = timer;
        this.inputs = inputs;
        this.restores = restores;
        this.sets = sets;
        this.own = own;
        this.graph = graph;
    }

    /** Makes further sets beside the first, and launches each once before they are collected: code is loaded then. */
    static Replay of(
            Device device, LaunchGraphs graphs, Instance instance, Module module, BufferSet first, Inputs inputs) {
        List<BufferSet> sets = new ArrayList<>(List.of(first));
        List<BufferSet> own = new ArrayList<>();
        try {
            int wanted = sets(device, instance);
            while (sets.size() < wanted) {
                BufferSet more = new BufferSet(device, instance, module);
                own.add(more);
                sets.add(more);
                more.upload(inputs);
            }
            sets.forEach(BufferSet::pass);
            device.synchronize();
            LaunchGraphs.Recorded graph = graphs.record(() -> sets.forEach(BufferSet::pass));
            return new Replay(
                    Timers.of(device),
                    inputs,
                    instance.buffers().stream().anyMatch(Buffer::needsRestore),
                    sets,
                    own,
                    graph);
        } catch (RuntimeException | Error e) {
            own.forEach(BufferSet::close);
            throw e;
        }
    }

    private static int sets(Device device, Instance instance) {
        long bytes = Math.max(1, instance.bytes());
        Number cache = device.info().values().get("llc");
        Number memory = device.info().values().get("memory");
        double wanted = cache == null ? FEWEST_SETS : Math.ceil(CACHES * cache.doubleValue() / bytes);
        double room = memory == null ? MOST_SETS : Math.floor(SHARE_OF_MEMORY * memory.doubleValue() / bytes);
        return (int) Math.clamp(Math.min(wanted, room), FEWEST_SETS, MOST_SETS);
    }

    /** What a row says of it. */
    SequencedMap<String, Object> facts() {
        SequencedMap<String, Object> facts = new LinkedHashMap<>();
        facts.put("passes_per_graph", sets.size());
        return facts;
    }

    @Override
    public void restore() {
        if (restores) {
            sets.forEach(set -> set.restore(inputs));
        }
    }

    @Override
    public boolean needsRestore() {
        return restores;
    }

    @Override
    public int unit() {
        return sets.size();
    }

    @Override
    public double time(int launches) {
        graphs = launches / sets.size();
        return timer.time(work);
    }

    private void work() {
        for (int i = graphs; i > 0; i--) {
            graph.run();
        }
    }

    Optional<String> damage() {
        return own.stream().map(BufferSet::damage).flatMap(Optional::stream).findFirst();
    }

    @Override
    public void close() {
        graph.close();
        own.forEach(BufferSet::close);
        own.clear();
    }
}
