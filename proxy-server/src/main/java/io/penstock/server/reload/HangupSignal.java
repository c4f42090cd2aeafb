package io.penstock.server.reload;

import io.penstock.server.start.StartConfiguration;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Asks for a reload on SIGHUP, which would end the JVM otherwise. With profile {@code demo} the
 * signal keeps its default meaning, "the terminal was closed". If it is ignored at start, as with
 * {@code nohup}, the JVM keeps ignoring it.
 */
public final class HangupSignal
    implements ApplicationContextInitializer<ConfigurableApplicationContext> {

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock");

  private volatile @Nullable Runnable action;

  @Override
  public void initialize(ConfigurableApplicationContext application) {
    application.getBeanFactory().registerSingleton("hangupSignal", this);
    if (!application.getEnvironment().matchesProfiles(StartConfiguration.DEMO)) {
      handle();
    }
  }

  /**
   * Sets what a signal does, or nothing if it is null. It runs on a thread of the JVM and must not
   * block it.
   */
  void onSignal(@Nullable Runnable other) {
    action = other;
  }

  private void received() {
    Runnable now = action;
    if (now == null) {
      LOG.info("SIGHUP: ignored while Penstock starts or stops");
    } else {
      now.run();
    }
  }

  /**
   * The JDK supports {@code sun.misc.Signal} because there is no replacement (JEP 260), but javac
   * warns about it and no annotation suppresses the warning, hence reflection.
   */
  private void handle() {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object receiver =
          Proxy.newProxyInstance(
              HangupSignal.class.getClassLoader(),
              new Class<?>[] {handler},
              (_, _, _) -> {
                received();
                return null;
              });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), receiver);
    } catch (ReflectiveOperationException e) { // this platform has no SIGHUP, or java -Xrs
      LOG.debug("SIGHUP keeps the JVM's default action", e);
    }
  }
}
