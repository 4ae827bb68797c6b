package dev.panamark.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.lang.ArchRule;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Set;

/** Which package may know which; Maven holds the directions between modules. */
final class PackageRules {
    /** Published figures: data, and no backend. */
    private static final String PROFILES = "dev.panamark.device.profile..";

    /** What backends of GPUs have in common. */
    private static final String GPUS = "dev.panamark.device.gpu..";

    private static final Set<String> UNSAFE = Set.of("reinterpret", "ofAddress");

    private static final Set<String> CLOCKS = Set.of(
            "System.nanoTime",
            "System.currentTimeMillis",
            "Instant.now",
            "Thread.sleep",
            "LockSupport.parkNanos",
            "LockSupport.parkUntil");

    /** The last waits for work and measures nothing. */
    private static final Set<String> HAVE_CLOCKS = Set.of(
            "dev.panamark.measure.SystemClock",
            "dev.panamark.device.cpu.CpuTimer",
            "dev.panamark.device.cpu.BlockPool",
            "dev.panamark.device.cpu.BlockPool$Helper");

    static final ArchRule FOREIGN_ACCESS = noClasses()
            .that()
            .resideOutsideOfPackages("dev.panamark.ffi..", "dev.panamark.driver..", "dev.panamark.raw..")
            .should()
            .dependOnClassesThat()
            .belongToAnyOf(Linker.class, SymbolLookup.class)
            .orShould()
            .callMethodWhere(describe(
                    "MemorySegment.reinterpret or MemorySegment.ofAddress",
                    (JavaMethodCall call) -> call.getTargetOwner().isEquivalentTo(MemorySegment.class)
                            && UNSAFE.contains(call.getTarget().getName())))
            .because("only the bindings may make memory out of numbers")
            .allowEmptyShould(true);

    static final ArchRule RAW_STAYS_BELOW_DRIVERS = noClasses()
            .that()
            .resideOutsideOfPackages("dev.panamark.driver..", "dev.panamark.raw..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.panamark.raw..")
            .because("what is generated checks nothing: a wrapper names the call and its status")
            .allowEmptyShould(true);

    static final ArchRule BACKENDS_ARE_ANONYMOUS = noClasses()
            .that()
            .resideOutsideOfPackages("dev.panamark.device.*..", "dev.panamark.cli..", "dev.panamark.worker..")
            .should()
            .dependOnClassesThat(resideInAPackage("dev.panamark.device.*..").and(not(resideInAPackage(PROFILES))))
            .because("what measures and reports works on every kind of device")
            .allowEmptyShould(true);

    static final ArchRule BACKENDS_ARE_APART = slices().matching("dev.panamark.device.(*)..")
            .should()
            .notDependOnEachOther()
            .ignoreDependency(alwaysTrue(), resideInAPackage(PROFILES))
            .ignoreDependency(alwaysTrue(), resideInAPackage(GPUS))
            .allowEmptyShould(true);

    static final ArchRule DEVICES_ARE_BELOW = noClasses()
            .that()
            .resideInAPackage("dev.panamark.device..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "dev.panamark.measure..",
                    "dev.panamark.telemetry..",
                    "dev.panamark.result..",
                    "dev.panamark.report..",
                    "dev.panamark.worker..",
                    "dev.panamark.cli..")
            .allowEmptyShould(true);

    static final ArchRule REPORTS_SEE_RESULTS_ONLY = noClasses()
            .that()
            .resideInAPackage("dev.panamark.report..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.panamark.device..")
            .because("a report is made from files, also on another machine")
            .allowEmptyShould(true);

    static final ArchRule PICOCLI_STAYS_IN_CLI = noClasses()
            .that()
            .resideOutsideOfPackage("dev.panamark.cli..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("picocli..")
            .allowEmptyShould(true);

    static final ArchRule CLOCKS_ARE_INJECTED = noClasses()
            .that()
            .resideInAnyPackage(
                    "dev.panamark.measure..",
                    "dev.panamark.stats..",
                    "dev.panamark.device..",
                    "dev.panamark.telemetry..")
            .and(describe("are neither a clock nor a spinning wait", c -> !HAVE_CLOCKS.contains(c.getName())))
            .should()
            .accessTargetWhere(describe(
                    "the host's clock, or sleep by it",
                    (JavaAccess<?> access) ->
                            CLOCKS.contains(access.getTargetOwner().getSimpleName() + "." + access.getName())))
            .because("a simulated device must run hours of measuring in seconds: HostClock is passed in")
            .allowEmptyShould(true);

    private PackageRules() {}
}
