package dev.panamark.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.panamark.device.Counted;
import dev.panamark.ffi.Availability;
import dev.panamark.finding.Check;
import dev.panamark.finding.Explanation;
import dev.panamark.finding.Fault;
import dev.panamark.json.IndentedJson;
import dev.panamark.kernel.Dim3;
import dev.panamark.kernel.Step;
import dev.panamark.report.FaultView;
import dev.panamark.report.LineView;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes what {@code panamark emulate} counted as JSON, {@code panamark.emulate/1}. */
final class EmulateJson {
    private static final String SCHEMA = "panamark.emulate/1";

    private final JsonGenerator g;

    private EmulateJson(JsonGenerator g) {
        this.g = g;
    }

    /** Indented, with a line end. Counts are of one pass, and {@code source} is said of each group of numbers. */
    static String render(String device, long seed, List<EmulatedKernel> kernels) {
        return IndentedJson.text(g -> new EmulateJson(g).all(device, seed, kernels));
    }

    private void all(String device, long seed, List<EmulatedKernel> kernels) throws IOException {
        g.writeStartObject();
        g.writeStringField("schema", SCHEMA);
        g.writeStringField("device", device);
        g.writeNumberField("seed", seed);
        g.writeArrayFieldStart("kernels");
        for (EmulatedKernel kernel : kernels) {
            kernel(kernel);
        }
        g.writeEndArray();
        g.writeEndObject();
    }

    private void kernel(EmulatedKernel kernel) throws IOException {
        g.writeStartObject();
        g.writeStringField("kernel", kernel.instance().kernel());
        g.writeStringField("problem", kernel.instance().problem().toString());
        g.writeArrayFieldStart("launches");
        for (Step step : kernel.instance().steps()) {
            if (step instanceof Step.Launch launch) {
                g.writeStartObject();
                g.writeStringField("entry", launch.entry());
                extents("grid", launch.grid());
                extents("block", launch.block());
                g.writeNumberField("shared", launch.shared());
                g.writeEndObject();
            }
        }
        g.writeEndArray();
        if (kernel.counted().isPresent()) {
            counted(kernel.counted().get());
            g.writeStringField("source", "emulated");
            g.writeArrayFieldStart("lines");
            for (LineView line : kernel.lines()) {
                line(line);
            }
            g.writeEndArray();
        } else {
            faults(kernel);
        }
        if (kernel.explanation().isPresent()) {
            explanation(kernel.explanation().get());
        }
        g.writeEndObject();
    }

    private void explanation(Explanation explanation) throws IOException {
        g.writeObjectFieldStart("explanation");
        g.writeArrayFieldStart("occupancy");
        for (Explanation.Residency launch : explanation.launches()) {
            g.writeStartObject();
            g.writeStringField("entry", launch.entry());
            g.writeNumberField("value", launch.share());
            g.writeStringField("source", "computed");
            g.writeStringField("limiter", launch.limiter());
            g.writeNumberField("threads", launch.threads());
            g.writeNumberField("registers", launch.registers());
            g.writeStringField("note", launch.note());
            g.writeNumberField("shared", launch.shared());
            g.writeObjectFieldStart("blocks");
            for (Map.Entry<String, Long> room : launch.blocks().entrySet()) {
                if (room.getValue() < Long.MAX_VALUE) { // else it does not limit them
                    g.writeNumberField(room.getKey(), room.getValue());
                }
            }
            g.writeEndObject();
            g.writeArrayFieldStart("one_more_needs");
            for (String need : launch.oneMore()) {
                g.writeString(need);
            }
            g.writeEndArray();
            g.writeEndObject();
        }
        g.writeEndArray();
        g.writeArrayFieldStart("bank_conflicts");
        for (Explanation.BankConflict conflict : explanation.conflicts()) {
            conflict(conflict);
        }
        g.writeEndArray();
        g.writeNumberField("overlooked", explanation.overlooked());
        g.writeEndObject();
    }

    /** Of one block. */
    private void conflict(Explanation.BankConflict conflict) throws IOException {
        g.writeStartObject();
        g.writeStringField("entry", conflict.kernel());
        g.writeStringField("line", conflict.line());
        g.writeArrayFieldStart("together");
        for (String line : conflict.together()) {
            g.writeString(line);
        }
        g.writeEndArray();
        g.writeNumberField("requests", conflict.requests());
        g.writeNumberField("conflicts", conflict.excess());
        g.writeStringField("source", "emulated");
        g.writeNumberField("bytes", conflict.bytes());
        g.writeBooleanField("load", conflict.load());
        g.writeNumberField("first", conflict.first());
        g.writeNumberField("last", conflict.last());
        g.writeArrayFieldStart("banks");
        for (Explanation.Bank bank : conflict.banks()) {
            g.writeStartObject();
            g.writeNumberField("bank", bank.bank());
            g.writeArrayFieldStart("lanes");
            for (int lane = 0; lane < Integer.SIZE; lane++) {
                if ((bank.lanes() >>> lane & 1) != 0) {
                    g.writeNumber(lane);
                }
            }
            g.writeEndArray();
            g.writeNumberField("words", bank.words());
            g.writeEndObject();
        }
        g.writeEndArray();
        g.writeNumberField("banks_alike", conflict.alike());
        g.writeArrayFieldStart("remedies");
        for (Explanation.Remedy remedy : conflict.remedies()) {
            g.writeStartObject();
            g.writeStringField("kind", remedy.pad() > 0 ? "pad" : "swizzle");
            g.writeNumberField("row_bytes", remedy.rowBytes());
            if (remedy.pad() > 0) {
                g.writeNumberField("pad_bytes", remedy.pad());
            } else {
                g.writeNumberField("piece_bytes", remedy.piece());
                g.writeNumberField("rows_repeat", remedy.repeat());
                g.writeNumberField("rows_period", remedy.period());
            }
            g.writeNumberField("before", remedy.before());
            g.writeNumberField("after", remedy.after());
            g.writeEndObject();
        }
        g.writeEndArray();
        g.writeEndObject();
    }

    private void faults(EmulatedKernel kernel) throws IOException {
        g.writeArrayFieldStart("checks");
        for (Check check : kernel.checks().stream().sorted().toList()) {
            g.writeString(check.tag());
        }
        g.writeEndArray();
        g.writeStringField("source", "emulated");
        g.writeArrayFieldStart("faults");
        for (FaultView view : kernel.faults()) {
            Fault fault = view.fault();
            g.writeStartObject();
            g.writeStringField("check", fault.check().tag());
            g.writeStringField("kind", fault.kind());
            g.writeStringField("text", fault.text());
            g.writeNumberField("count", fault.count());
            spot("at", fault.at(), view.code());
            spot("other", fault.other(), view.otherCode());
            g.writeEndObject();
        }
        g.writeEndArray();
    }

    private void spot(String name, Optional<Fault.Spot> spot, Optional<String> code) throws IOException {
        if (spot.isEmpty()) {
            g.writeNullField(name);
            return;
        }
        Fault.Spot at = spot.get();
        g.writeObjectFieldStart(name);
        g.writeStringField("entry", at.kernel());
        g.writeStringField("line", at.line());
        g.writeStringField("code", code.orElse(null));
        g.writeStringField("block", at.block().orElse(null));
        g.writeStringField("thread", at.thread().orElse(null));
        if (at.address().isPresent()) {
            g.writeNumberField("address", at.address().getAsLong());
        } else {
            g.writeNullField("address");
        }
        g.writeEndObject();
    }

    private void counted(Counted counted) throws IOException {
        g.writeObjectFieldStart("bound");
        switch (counted.bound()) {
            case Availability.Available<Counted.Bound>(Counted.Bound b) -> {
                g.writeNumberField("value", b.seconds());
                g.writeStringField("unit", "s");
                g.writeStringField("source", "computed");
                g.writeStringField("note", "limited by " + b.limiter());
            }
            case Availability.Unavailable<Counted.Bound> none -> missing(none.text());
        }
        g.writeEndObject();
        g.writeObjectFieldStart("occupancy");
        switch (counted.occupancy()) {
            case Availability.Available<Counted.Occupancy>(Counted.Occupancy o) -> {
                g.writeNumberField("value", o.share());
                g.writeStringField("source", "computed");
                g.writeStringField("note", "limited by " + o.limiter() + "; " + o.note());
            }
            case Availability.Unavailable<Counted.Occupancy> none -> missing(none.text());
        }
        g.writeEndObject();
        g.writeObjectFieldStart("flops");
        for (Map.Entry<String, Long> flops : counted.flops().entrySet()) {
            g.writeNumberField(flops.getKey(), flops.getValue());
        }
        g.writeStringField("source", "emulated");
        g.writeEndObject();
    }

    private void missing(String reason) throws IOException {
        g.writeNullField("value");
        g.writeStringField("reason", reason);
    }

    private void extents(String name, Dim3 extents) throws IOException {
        g.writeArrayFieldStart(name);
        g.writeNumber(extents.x());
        g.writeNumber(extents.y());
        g.writeNumber(extents.z());
        g.writeEndArray();
    }

    private void line(LineView line) throws IOException {
        g.writeStartObject();
        g.writeStringField("line", line.place());
        if (line.code() == null) {
            g.writeNullField("code");
            g.writeStringField("reason", "its file is not at hand, or has no such line");
        } else {
            g.writeStringField("code", line.code());
        }
        g.writeNumberField("instructions", line.instructions());
        g.writeNumberField("wavefronts", line.wavefronts());
        g.writeNumberField("conflicts", line.conflicts());
        g.writeNumberField("requests", line.requests());
        g.writeNumberField("sectors", line.sectors());
        g.writeNumberField("branches", line.branches());
        g.writeNumberField("divergent_branches", line.divergent());
        g.writeEndObject();
    }
}
