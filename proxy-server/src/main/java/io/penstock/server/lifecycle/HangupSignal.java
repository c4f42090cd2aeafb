package io.penstock.server.lifecycle;

import io.penstock.server.config.StartConfiguration;
import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Logs SIGHUP instead of ending Penstock: for a server the signal means "reload your
 * configuration". With profile {@code demo} it keeps its default meaning, "the terminal was
 * closed". If it is ignored at start, as with {@code nohup}, the JVM keeps ignoring it.
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
   * The JDK supports {@code sun.misc.Signal} because there is no replacement (JEP 260), but javac
   * warns about it and no annotation suppresses the warning, hence reflection.
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
                    "SIGHUP: ignored. The configuration is read at start only; restart Penstock to"
                        + " apply changes");
                return null;
              });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), log);
    } catch (ReflectiveOperationException e) { // this platform has no SIGHUP, or java -Xrs
      LOG.debug("SIGHUP keeps the JVM's default action", e);
    }
  }
}
