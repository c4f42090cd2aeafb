package io.penstock.server.config;

import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.unit.DataSize;

/**
 * The range of a number, a {@link Duration} or a {@link DataSize}. Bounds are written as in the
 * configuration, and both are allowed. {@code docs/reference/configuration.md} shows them.
 */
@Documented
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
@Constraint(validatedBy = Between.Validator.class)
public @interface Between {

  String min();

  /** The upper bound; none if it is empty. */
  String max() default "";

  /** Whether 0 is allowed as well, which turns something off. */
  boolean orZero() default false;

  /** Not used: the message says the range. */
  String message() default "";

  Class<?>[] groups() default {};

  Class<? extends Payload>[] payload() default {};

  /** Checks a value. Values that are not set pass. */
  final class Validator implements ConstraintValidator<Between, Object> {

    private @Nullable Between range;

    @Override
    public void initialize(Between annotation) {
      range = annotation;
    }

    @Override
    public boolean isValid(@Nullable Object value, ConstraintValidatorContext context) {
      Between bounds = range;
      if (value == null || bounds == null || isIn(bounds, value)) {
        return true;
      }
      context.disableDefaultConstraintViolation();
      context
          .buildConstraintViolationWithTemplate("must be " + text(bounds))
          .addConstraintViolation();
      return false;
    }

    private static boolean isIn(Between range, Object value) {
      return switch (value) {
        case Integer number -> isIn(range, number, 0, Integer::valueOf);
        case Double number -> isIn(range, number, 0.0, Double::valueOf);
        case Duration duration ->
            isIn(range, duration, Duration.ZERO, DurationStyle::detectAndParse);
        case DataSize size -> isIn(range, size, DataSize.ofBytes(0), DataSize::parse);
        default -> throw new IllegalStateException("no range of " + value.getClass());
      };
    }

    private static <T extends Comparable<T>> boolean isIn(
        Between range, T value, T zero, Function<String, T> parser) {
      if (range.orZero() && value.compareTo(zero) == 0) {
        return true;
      }
      return value.compareTo(parser.apply(range.min())) >= 0
          && (range.max().isEmpty() || value.compareTo(parser.apply(range.max())) <= 0);
    }

    /** Returns the range in words, such as {@code from 1 to 64}. */
    static String text(Between range) {
      String bounds =
          range.max().isEmpty()
              ? "at least " + range.min()
              : "from " + range.min() + " to " + range.max();
      return range.orZero() ? "0, or " + bounds : bounds;
    }
  }
}
