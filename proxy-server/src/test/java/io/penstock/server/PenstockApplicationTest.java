package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

class PenstockApplicationTest {

  @Test
  void everyConfigurationIsNamed() {
    Class<?>[] named = PenstockApplication.class.getAnnotation(Import.class).value();

    assertThat(
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackagesOf(PenstockApplication.class)
                    .stream()
                    .filter(type -> type.isAnnotatedWith(Configuration.class))
                    .map(JavaClass::reflect))
        .isNotEmpty()
        .containsExactlyInAnyOrder(named);
  }
}
