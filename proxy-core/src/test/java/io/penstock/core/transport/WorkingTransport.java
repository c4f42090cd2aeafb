package io.penstock.core.transport;

import org.junit.jupiter.api.Assumptions;

/** Skips tests that need a transport that this machine does not support. */
public final class WorkingTransport {

  private WorkingTransport() {}

  public static void assume(Transport transport) {
    Throwable why = transport.unavailability();
    if (why != null) {
      System.out.println("skipped: " + transport.configName() + " does not work here: " + why);
    }
    Assumptions.assumeTrue(why == null, () -> transport.configName() + ": " + why);
  }
}
