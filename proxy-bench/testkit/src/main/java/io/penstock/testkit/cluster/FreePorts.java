package io.penstock.testkit.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds ports whose cluster bus port is free as well.
 *
 * <p>Both lie below 32768, where Linux begins to take ports for outgoing connections: a port found
 * here is not lost to a passing client before the server binds it.
 */
public final class FreePorts {

  /** What a server adds to its port for the cluster bus unless told otherwise. */
  static final int BUS_OFFSET = 10_000;

  /** Number of this JVM among those that run a module's tests in parallel, from 1. */
  private static final Integer FORK = Integer.getInteger("penstock.test.fork");

  /**
   * Number of JVMs with a port range of their own, so that a server that is down for a while finds
   * its port free.
   */
  private static final int FORKS = 8;

  private static final int EACH = 1_375;
  private static final int FIRST = 11_000 + (FORK == null ? 0 : (FORK - 1) % FORKS * EACH);
  private static final int END = FIRST + (FORK == null ? FORKS * EACH : EACH);
  private static final int ATTEMPTS = 1_000;

  /** Given out by this JVM and perhaps not bound yet. */
  private static final Set<Integer> TAKEN = ConcurrentHashMap.newKeySet();

  private FreePorts() {}

  public static int take(String host) {
    for (int i = 0; i < ATTEMPTS; i++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, END);
      if (TAKEN.add(port)) {
        if (isFree(host, port) && isFree(host, port + BUS_OFFSET)) {
          return port;
        }
        TAKEN.remove(port);
      }
    }
    throw new IllegalStateException("no free port between " + FIRST + " and " + END);
  }

  public static void giveBack(int port) {
    TAKEN.remove(port);
  }

  private static boolean isFree(String host, int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getByName(host), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
