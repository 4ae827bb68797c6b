package dev.panamark.kernel;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * One problem on one device. Lets are computed when something asks for them, so that one that needs a value which
 * this device lacks does no harm where nothing uses it. Used by one thread.
 */
final class ProblemScope implements Scope {
    private final KernelSpec spec;
    private final Problem problem;
    private final DeviceValues device;
    private final Map<String, Object> known = new HashMap<>();

    ProblemScope(KernelSpec spec, Problem problem, DeviceValues device) {
        this.spec = spec;
        this.problem = problem;
        this.device = device;
        if (!problem.values().keySet().equals(spec.axes().keySet())) {
            throw new IllegalArgumentException("a problem of " + spec.name() + " has the axes "
                    + spec.axes().keySet() + ", not " + problem.values().keySet());
        }
        problem.values().forEach((name, value) -> known.put(name, AxisValues.exact(value)));
    }

    @Override
    public Object value(String name) {
        Object value = known.get(name);
        if (value == null) {
            Formula let = spec.lets().get(name);
            if (let == null) {
                throw new IllegalArgumentException(spec.name() + " has no '" + name + "'");
            }
            value = let.evaluate(this);
            if (value instanceof Rational) {
                // A let is a number that people see, so it must not be beyond what can be shown exactly.
                let.value(this);
            }
            known.put(name, value);
        }
        return value;
    }

    @Override
    public Rational device(String name) {
        Number value = device.values().get(name);
        if (value == null || (value instanceof Double d && !Double.isFinite(d))) {
            throw new MissingDeviceValue(
                    "needs device." + name + ", which this " + device.backend() + " device does not have"
                            + Near.hint(name, new TreeSet<>(device.values().keySet())));
        }
        return value instanceof Double || value instanceof Float
                ? Rational.of(value.doubleValue())
                : Rational.of(value.longValue());
    }

    @Override
    public Rational call(Formula.Call call) {
        throw new IllegalStateException(call + " outside work");
    }

    @Override
    public String situation(Set<String> names) {
        return names.isEmpty()
                ? ""
                : names.stream()
                        .filter(known::containsKey)
                        .map(n -> n + "=" + known.get(n))
                        .collect(Collectors.joining(" ", " (", ")"));
    }

    /** Axes and those lets that this device has the values for. */
    SequencedMap<String, Value> values() {
        SequencedMap<String, Value> values = new LinkedHashMap<>(problem.values());
        spec.lets().forEach((name, let) -> {
            try {
                values.put(name, let.value(this));
            } catch (MissingDeviceValue e) {
                // Nothing that was used needs it.
            }
        });
        return values;
    }

    /** The problem, for messages. */
    Problem problem() {
        return problem;
    }

    /** The device. */
    DeviceValues device() {
        return device;
    }
}
