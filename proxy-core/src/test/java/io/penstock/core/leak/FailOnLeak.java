package io.penstock.core.leak;

import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Looks for leaks after every test class, and fails the class that left one behind. */
public final class FailOnLeak implements BeforeAllCallback, AfterAllCallback {

  static {
    LeakReports.install();
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    // Being here is enough: the detectors were installed before any test class was loaded.
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (context.getParent().flatMap(ExtensionContext::getTestClass).isPresent()) {
      return; // a nested class: the outer one will look
    }
    List<String> leaks = LeakReports.take();
    if (!leaks.isEmpty()) {
      throw new AssertionError(
          leaks.size() + " leak(s) by " + context.getDisplayName() + ":\n" + leaks.getFirst());
    }
  }
}
