package io.penstock.server.it;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** The scenarios of {@code clients/scenarios.txt} with a Java client library. Not thread-safe. */
abstract class ClientSuite implements AutoCloseable {

  /** A scenario; it throws on failure. */
  interface Scenario {
    void run() throws Exception;
  }

  static final int BIG = 16 * 1024 * 1024;

  /** The prefix of every key. */
  final String p;

  private final Map<String, Scenario> scenarios = new LinkedHashMap<>();
  private final BlockingQueue<String> events = new ArrayBlockingQueue<>(100);

  ClientSuite(String prefix) {
    p = prefix;
    scenarios.put("connect", this::connect);
    scenarios.put("strings", this::strings);
    scenarios.put("keys", this::keys);
    scenarios.put("several-keys", this::severalKeys);
    scenarios.put("hashes", this::hashes);
    scenarios.put("lists", this::lists);
    scenarios.put("sets", this::sets);
    scenarios.put("zsets", this::zsets);
    scenarios.put("streams", this::streams);
    scenarios.put("bitmaps", this::bitmaps);
    scenarios.put("geo", this::geo);
    scenarios.put("hyperloglog", this::hyperLogLog);
    scenarios.put("pipeline", this::pipeline);
    scenarios.put("big", this::big);
    scenarios.put("errors", this::errors);
    scenarios.put("scripts", this::scripts);
    scenarios.put("scan", this::scan);
    scenarios.put("server", this::server);
    scenarios.put("transaction", this::transaction);
    scenarios.put("watch", this::watch);
    scenarios.put("blocking", this::blocking);
    scenarios.put("pubsub", this::pubsub);
    scenarios.put("slots", this::slots);
  }

  abstract void connect() throws Exception;

  abstract void strings() throws Exception;

  abstract void keys() throws Exception;

  abstract void severalKeys() throws Exception;

  abstract void hashes() throws Exception;

  abstract void lists() throws Exception;

  abstract void sets() throws Exception;

  abstract void zsets() throws Exception;

  abstract void streams() throws Exception;

  abstract void bitmaps() throws Exception;

  abstract void geo() throws Exception;

  abstract void hyperLogLog() throws Exception;

  abstract void pipeline() throws Exception;

  abstract void big() throws Exception;

  abstract void errors() throws Exception;

  abstract void scripts() throws Exception;

  abstract void scan() throws Exception;

  abstract void server() throws Exception;

  abstract void transaction() throws Exception;

  abstract void slots() throws Exception;

  abstract void watch() throws Exception;

  abstract void blocking() throws Exception;

  abstract void pubsub() throws Exception;

  /** Called by a listener of the library. */
  final void onEvent(String event) {
    events.add(event);
  }

  /** Returns the next event of a listener; the string {@code "null"} if none arrives. */
  final String next() throws InterruptedException {
    return String.valueOf(events.poll(10, TimeUnit.SECONDS));
  }

  /** Runs all scenarios and reports {@code ok} or {@code failed} for each, as the programs do. */
  final String run() {
    var report = new StringBuilder();
    scenarios.forEach((name, scenario) -> report.append(run(name, scenario)).append('\n'));
    return report.toString();
  }

  private static String run(String name, Scenario scenario) {
    try {
      scenario.run();
      return "ok " + name;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "failed " + name + ": interrupted";
    } catch (Exception | AssertionError e) {
      return "failed " + name + ": " + e.toString().replace('\n', ' ');
    }
  }

  @Override
  public abstract void close();
}
