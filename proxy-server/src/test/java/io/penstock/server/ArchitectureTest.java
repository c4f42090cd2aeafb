package io.penstock.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;

class ArchitectureTest {

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new DoNotIncludeTests())
          .importPackages("io.penstock.server");

  @Test
  void packagesFormNoCycle() {
    slices().matching("io.penstock.server.(*)..").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void theEmbeddedClusterKnowsNeitherSpringNorTheProxy() {
    noClasses()
        .that()
        .resideInAPackage("..server.demo..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.springframework..", "io.penstock.core..")
        .check(CLASSES);
  }

  @Test
  void theApplicationNamesEveryComponent() {
    Class<?>[] named = PenstockApplication.class.getAnnotation(Import.class).value();

    assertThat(
            CLASSES.stream()
                .filter(type -> type.isMetaAnnotatedWith(Component.class))
                .filter(type -> !type.isEquivalentTo(PenstockApplication.class))
                .map(JavaClass::reflect))
        .containsExactlyInAnyOrder(named);
  }
}
