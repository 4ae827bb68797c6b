package dev.panamark.architecture;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ArchitectureTest {
    private static JavaClasses product = new ClassFileImporter().importClasses();
    private static JavaClasses offender = product;

    @BeforeAll
    static void read() {
        product = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.panamark");
        offender =
                new ClassFileImporter().importPackages("dev.panamark.report.offender", "dev.panamark.measure.offender");
    }

    static Stream<ArchRule> rules() {
        return Stream.of(
                PackageRules.FOREIGN_ACCESS,
                PackageRules.RAW_STAYS_BELOW_DRIVERS,
                PackageRules.BACKENDS_ARE_ANONYMOUS,
                PackageRules.BACKENDS_ARE_APART,
                PackageRules.DEVICES_ARE_BELOW,
                PackageRules.REPORTS_SEE_RESULTS_ONLY,
                PackageRules.CLOCKS_ARE_INJECTED,
                PackageRules.PICOCLI_STAYS_IN_CLI);
    }

    @ParameterizedTest
    @MethodSource("rules")
    void theProductKeepsTo(ArchRule rule) {
        assertTrue(product.contain("dev.panamark.device.cpu.CpuProvider"));
        assertTrue(product.contain("dev.panamark.driver.host.HostFunction"));
        assertTrue(product.contain("dev.panamark.raw.cuda.cuda_h"));
        rule.check(product);
    }

    static Stream<ArchRule> rulesThatTheOffenderBreaks() {
        return Stream.of(
                PackageRules.FOREIGN_ACCESS,
                PackageRules.RAW_STAYS_BELOW_DRIVERS,
                PackageRules.BACKENDS_ARE_ANONYMOUS,
                PackageRules.REPORTS_SEE_RESULTS_ONLY,
                PackageRules.CLOCKS_ARE_INJECTED,
                PackageRules.PICOCLI_STAYS_IN_CLI);
    }

    /** A rule that nothing can break would hold too. */
    @ParameterizedTest
    @MethodSource("rulesThatTheOffenderBreaks")
    void anOffenderIsFound(ArchRule rule) {
        assertTrue(rule.evaluate(offender).hasViolation());
    }
}
