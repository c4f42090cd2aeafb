package io.penstock.core.transport;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.AbstractEventExecutor;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Virtual threads that an event loop's own thread carries: they and the loop take turns on one
 * platform thread, so handing something over costs neither a wake-up nor a change of the processor.
 * They must not keep it: what blocks without giving the carrier free stops the loop.
 *
 * <p>The JDK has this inside, and opens it to who asks ({@code --add-opens
 * java.base/java.lang=ALL-UNNAMED}, which the executable jar's manifest does). Where it does not,
 * the JDK's own carriers do it, at the price of those wake-ups.
 */
final class Carrier {

  private static final Logger log = LoggerFactory.getLogger(Carrier.class);

  /** (scheduler, name, characteristics, task); null where the JDK keeps it to itself. */
  private static final @Nullable MethodHandle NEW_THREAD = find();

  private final EventLoop executor;

  Carrier(EventLoop executor) {
    this.executor = executor;
  }

  private static @Nullable MethodHandle find() {
    try {
      Method method =
          Class.forName("java.lang.ThreadBuilders")
              .getDeclaredMethod(
                  "newVirtualThread", Executor.class, String.class, int.class, Runnable.class);
      method.setAccessible(true);
      return MethodHandles.lookup()
          .unreflect(method)
          .asType(
              MethodType.methodType(
                  Thread.class, Executor.class, String.class, int.class, Runnable.class));
    } catch (ReflectiveOperationException | RuntimeException inaccessible) {
      log.info(
          "event loops cannot carry virtual threads; hand-overs cost more: {}",
          inaccessible.toString());
      return null;
    }
  }

  /** Whether loops carry threads in this JVM. */
  static boolean isSupported() {
    return NEW_THREAD != null;
  }

  /** Starts a thread. */
  Thread start(String name, Runnable task) {
    Thread thread = carried(name, task);
    if (thread == null) {
      return Thread.ofVirtual().name(name).start(task);
    }
    thread.start();
    return thread;
  }

  private @Nullable Thread carried(String name, Runnable task) {
    if (NEW_THREAD == null) {
      return null;
    }
    try {
      return (Thread) NEW_THREAD.invokeExact((Executor) executor, name, 0, task);
    } catch (Throwable e) {
      throw new IllegalStateException("a virtual thread could not be made", e);
    }
  }

  /** Runs {@code task} on the loop; called by a thread that was started here. */
  void run(Runnable task) {
    if (isSupported() && executor instanceof AbstractEventExecutor carrying) {
      carrying.lazyExecute(task); // it is awake: it carries the caller
    } else {
      executor.execute(task);
    }
  }
}
