package io.penstock.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;

class ArchitectureTest {

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new DoNotIncludeTests())
          .importPackages("io.penstock.server");

  private static final JavaClasses TESTKIT =
      new ClassFileImporter()
          .withImportOption(new DoNotIncludeTests())
          .importPackages("io.penstock.testkit");

  @Test
  void packagesFormNoCycle() {
    slices().matching("io.penstock.server.(*)..").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void packagesHaveAtMostThirtyClasses() {
    Map<String, Long> classes =
        CLASSES.stream()
            .filter(JavaClass::isTopLevelClass)
            .filter(type -> !type.getSimpleName().equals("package-info"))
            .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));

    assertThat(classes).allSatisfy((name, count) -> assertThat(count).isLessThanOrEqualTo(30));
  }

  @Test
  void theTestKitUsesNeitherSpringNorTheProxy() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.springframework..", "io.penstock.core..", "io.penstock.server..")
        .because("tests of every module use it, and so does the demo in penstock.jar")
        .check(TESTKIT);
  }

  @Test
  void onlyTheDemoUsesTheTestKit() {
    noClasses()
        .that()
        .haveNameNotMatching(
            ".*\\.(lifecycle\\.(Demo|TryIt)|diagnostics\\.MissingServerAnalyzer)(\\$.*)?")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.penstock.testkit..")
        .because("the test kit is not part of the product")
        .check(CLASSES);
  }

  @Test
  void theApplicationImportsEveryConfiguration() {
    Class<?>[] named = PenstockApplication.class.getAnnotation(Import.class).value();

    assertThat(
            CLASSES.stream()
                .filter(type -> type.isMetaAnnotatedWith(Component.class))
                .filter(type -> !type.isEquivalentTo(PenstockApplication.class))
                .filter(type -> !isOfManagementContext(type))
                .map(JavaClass::reflect))
        .containsExactlyInAnyOrder(named);
  }

  /** Spring Boot imports these itself, as a file in META-INF says. */
  private static boolean isOfManagementContext(JavaClass type) {
    return type.isAnnotatedWith(ManagementContextConfiguration.class);
  }
}
