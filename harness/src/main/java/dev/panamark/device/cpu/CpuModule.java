package dev.panamark.device.cpu;

import dev.panamark.device.Entry;
import dev.panamark.device.MissingEntryException;
import dev.panamark.device.Module;
import dev.panamark.driver.host.HostFunction;
import dev.panamark.driver.host.HostLibrary;
import dev.panamark.driver.host.MissingFunctionException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/** A loaded shared object. */
final class CpuModule implements Module {
    private final CpuDevice device;
    private final HostLibrary library;
    private final String imageHash;
    private final SequencedMap<String, Object> facts;

    CpuModule(CpuDevice device, HostLibrary library, String imageHash, SequencedMap<String, Object> facts) {
        this.device = device;
        this.library = library;
        this.imageHash = imageHash;
        SequencedMap<String, Object> all = new LinkedHashMap<>(facts);
        all.put("image_sha256", imageHash);
        this.facts = Collections.unmodifiableSequencedMap(all);
    }

    @Override
    public Entry entry(String name) {
        HostFunction function;
        try {
            function = library.entry(name);
        } catch (MissingFunctionException e) {
            throw new MissingEntryException(String.valueOf(e.getMessage()), e);
        }
        return (args, buffers) -> new CpuBound(device.pool(), function, new ArgumentBlock(device, args, buffers));
    }

    @Override
    public SequencedMap<String, Object> facts() {
        return facts;
    }

    @Override
    public String imageHash() {
        return imageHash;
    }

    @Override
    public void close() {
        library.close();
    }
}
