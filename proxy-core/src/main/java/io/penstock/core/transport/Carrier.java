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
 * Starts virtual threads with an event loop's thread as their carrier. They and the loop take turns
 * on one platform thread, so handing something over costs neither a wake-up nor a switch to another
 * processor. They must not block without releasing the carrier, since that stops the loop.
 *
 * <p>This uses an internal method of the JDK, which requires {@code --add-opens
 * java.base/java.lang=ALL-UNNAMED} (the executable jar's manifest has it). Without it the JDK's
 * default carriers are used, at the cost of those wake-ups.
 */
final class Carrier {

  private static final Logger log = LoggerFactory.getLogger(Carrier.class);

  /** Parameters: scheduler, name, characteristics, task. Null if it is not accessible. */
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
          "Virtual threads cannot run on the threads of event loops, which costs more CPU: {}",
          inaccessible.toString());
      return null;
    }
  }

  /** Returns whether event loops can carry virtual threads in this JVM. */
  static boolean isSupported() {
    return NEW_THREAD != null;
  }

  /** Starts a thread. */
  Thread start(String name, Runnable task) {
    Thread thread = newThread(name, task);
    if (thread == null) {
      return Thread.ofVirtual().name(name).start(task);
    }
    thread.start();
    return thread;
  }

  private @Nullable Thread newThread(String name, Runnable task) {
    if (NEW_THREAD == null) {
      return null;
    }
    try {
      return (Thread) NEW_THREAD.invokeExact((Executor) executor, name, 0, task);
    } catch (Throwable e) {
      throw new IllegalStateException("a virtual thread could not be created", e);
    }
  }

  /** Runs {@code task} on the loop. Must be called by a thread that was started here. */
  void run(Runnable task) {
    if (isSupported() && executor instanceof AbstractEventExecutor loop) {
      loop.lazyExecute(task); // no wake-up is needed: the loop's thread carries the caller
    } else {
      executor.execute(task);
    }
  }
}
