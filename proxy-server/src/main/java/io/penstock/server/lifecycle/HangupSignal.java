package io.penstock.server.lifecycle;

import io.penstock.server.config.StartConfiguration;
import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * SIGHUP does not end Penstock, since for a server it means "read your configuration again": it is
 * logged. With profile {@code demo} it keeps its meaning, "your terminal was closed". Where it was
 * ignored at start, as with {@code nohup}, the JVM goes on ignoring it.
 */
public final class HangupSignal
    implements ApplicationContextInitializer<ConfigurableApplicationContext> {

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock");

  @Override
  public void initialize(ConfigurableApplicationContext application) {
    if (!application.getEnvironment().matchesProfiles(StartConfiguration.DEMO)) {
      handle();
    }
  }

  /**
   * The JDK supports {@code sun.misc.Signal} for want of another way (JEP 260), but javac warns of
   * it and no annotation silences that.
   */
  private static void handle() {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object log =
          Proxy.newProxyInstance(
              HangupSignal.class.getClassLoader(),
              new Class<?>[] {handler},
              (_, _, _) -> {
                LOG.info(
                    "SIGHUP: Penstock goes on. Restart it to have it read its configuration again");
                return null;
              });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), log);
    } catch (ReflectiveOperationException e) { // no such signal here, or java -Xrs
      LOG.debug("SIGHUP is left to the JVM", e);
    }
  }
}
