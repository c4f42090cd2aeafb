package io.penstock.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;

class ArchitectureTest {

  private static final int MAX_CLASSES_IN_CYCLE = 15;

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new DoNotIncludeTests())
          .importPackages("io.penstock.server");

  private static final JavaClasses OF_ALL_MODULES =
      new ClassFileImporter()
          .withImportOption(new DoNotIncludeTests())
          .importPackages("io.penstock.core", "io.penstock.server");

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

  /** Core and server, each for itself: no class of the core depends on the server. */
  @Test
  void dependencyCyclesOfClassesAreSmall() {
    Map<String, Set<String>> dependencies = new TreeMap<>();
    for (JavaClass type : OF_ALL_MODULES) {
      Set<String> others = dependencies.computeIfAbsent(outermost(type), _ -> new TreeSet<>());
      type.getDirectDependenciesFromSelf().stream()
          .map(dependency -> outermost(dependency.getTargetClass()))
          .filter(name -> name.startsWith("io.penstock."))
          .forEach(others::add);
    }

    assertThat(DependencyCycles.find(dependencies))
        .as("classes that depend on one another, directly or indirectly")
        .allSatisfy(cycle -> assertThat(cycle).hasSizeLessThanOrEqualTo(MAX_CLASSES_IN_CYCLE));
  }

  private static String outermost(JavaClass type) {
    String name = type.getBaseComponentType().getName();
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
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
