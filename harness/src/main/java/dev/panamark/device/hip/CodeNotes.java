package dev.panamark.device.hip;

import dev.panamark.driver.codeobject.CodeObject;
import dev.panamark.driver.codeobject.CodeObjectException;
import dev.panamark.driver.codeobject.KernelMetadata;
import dev.panamark.ffi.Availability;
import dev.panamark.image.Code;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/** What an image tells of itself; one that cannot be read is the runtime's to take or refuse all the same. */
record CodeNotes(Availability<CodeObject> object) {
    static CodeNotes of(Code code) {
        try {
            return new CodeNotes(Availability.of(CodeObject.read(code.bytes())));
        } catch (CodeObjectException e) {
            return new CodeNotes(Availability.missing(
                    String.valueOf(e.getMessage()), "Registers, spills and arguments of its kernels are not known."));
        }
    }

    private Optional<CodeObject> read() {
        return object instanceof Availability.Available<CodeObject>(CodeObject there)
                ? Optional.of(there)
                : Optional.empty();
    }

    /** What it was compiled for; empty where it does not tell. */
    Optional<String> target() {
        return read().map(CodeObject::target).filter(t -> !t.isEmpty());
    }

    /** Names, in its order. */
    List<String> kernels() {
        return read().map(o -> o.kernels().stream().map(KernelMetadata::name).toList())
                .orElse(List.of());
    }

    Optional<KernelMetadata> kernel(String name) {
        return read().flatMap(o -> o.kernel(name));
    }

    /** Of the whole image, as results have them. */
    SequencedMap<String, Object> facts() {
        SequencedMap<String, Object> facts = new LinkedHashMap<>();
        switch (object) {
            case Availability.Available<CodeObject>(CodeObject there) -> {
                facts.put("code_object_version", there.version());
                target().ifPresent(target -> facts.put("code_object_target", target));
            }
            case Availability.Unavailable<CodeObject> none -> facts.put("notes_unreadable", none.text());
        }
        return facts;
    }

    /** Of a kernel, as results have them; what the compiler did not say is left out. */
    static SequencedMap<String, Object> figures(KernelMetadata kernel) {
        SequencedMap<String, Object> figures = new LinkedHashMap<>();
        figures.put("vector_registers", kernel.vgprs());
        kernel.agprs().ifPresent(n -> figures.put("accumulation_registers", n));
        figures.put("scalar_registers", kernel.sgprs());
        kernel.vgprSpills().ifPresent(n -> figures.put("vector_spills", n));
        kernel.sgprSpills().ifPresent(n -> figures.put("scalar_spills", n));
        figures.put("scratch_bytes", kernel.scratchBytes());
        figures.put("wavefront", kernel.wavefront());
        return figures;
    }
}
