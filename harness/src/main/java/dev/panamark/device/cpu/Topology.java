package dev.panamark.device.cpu;

import dev.panamark.device.TextFiles;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * How the processors of a machine hang together.
 *
 * @param sockets packages
 * @param cores physical cores of all sockets
 * @param threads hardware threads that are online, of all cores
 */
record Topology(int sockets, int cores, int threads) {

    /** From {@code /sys/devices/system/cpu}; one unreadable processor makes it empty. */
    static Optional<Topology> fromSys(Path cpus) {
        Optional<BitSet> online = TextFiles.word(cpus.resolve("online")).flatMap(CpuList::parse);
        if (online.isEmpty()) {
            return Optional.empty();
        }
        Set<String> sockets = new HashSet<>();
        int cores = 0;
        BitSet seen = new BitSet();
        BitSet all = online.get();
        for (int cpu = all.nextSetBit(0); cpu >= 0; cpu = all.nextSetBit(cpu + 1)) {
            if (seen.get(cpu)) {
                continue;
            }
            Path topology = cpus.resolve("cpu" + cpu).resolve("topology");
            Optional<String> socket = TextFiles.word(topology.resolve("physical_package_id"));
            Optional<BitSet> siblings =
                    TextFiles.word(topology.resolve("thread_siblings_list")).flatMap(CpuList::parse);
            if (socket.isEmpty() || siblings.isEmpty()) {
                return Optional.empty();
            }
            sockets.add(socket.get());
            cores++;
            seen.or(siblings.get());
            seen.set(cpu);
        }
        return Optional.of(new Topology(sockets.size(), cores, all.cardinality()));
    }
}
