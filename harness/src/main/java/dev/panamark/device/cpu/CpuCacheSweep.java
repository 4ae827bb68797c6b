package dev.panamark.device.cpu;

import dev.panamark.device.CacheSweep;
import dev.panamark.driver.host.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/** Two blocks of memory, each twice the last-level cache: one that is written and one that is read, by all threads. */
final class CpuCacheSweep implements CacheSweep, AutoCloseable {
    /** One that is not exclusive of the nearer caches needs no more than its own size; twice leaves room for hashing. */
    static final int TIMES = 2;

    private final Bulk bulk;
    private final HostMemory written;
    private final HostMemory read;
    private byte value;

    /** Of zeros, {@code read} included: every page is written here, or all would be the same one. */
    CpuCacheSweep(Bulk bulk, HostMemory written, HostMemory read) {
        this.bulk = bulk;
        this.written = written;
        this.read = read;
        bulk.fill(read.segment(), (byte) 0);
    }

    /** {@code cache}: bytes of the last-level cache. */
    static CpuCacheSweep of(Bulk bulk, long cache) {
        HostMemory written = HostMemory.map(TIMES * cache);
        try {
            return new CpuCacheSweep(bulk, written, HostMemory.map(TIMES * cache));
        } catch (RuntimeException e) {
            written.close();
            throw e;
        }
    }

    @Override
    public void sweep() {
        bulk.fill(written.segment(), ++value);
        MemorySegment other = read.segment();
        if (!bulk.repeats(other)) {
            throw new IllegalStateException("something wrote into memory that only the cache sweep uses");
        }
    }

    @Override
    public SequencedMap<String, Object> facts() {
        SequencedMap<String, Object> facts = new LinkedHashMap<>();
        facts.put("bytes_written", written.segment().byteSize());
        facts.put("bytes_read", read.segment().byteSize());
        return facts;
    }

    @Override
    public void close() {
        written.close();
        read.close();
    }
}
