package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;

/** Clients for load tests, each of which checks every reply. */
final class Writers {

  private Writers() {}

  /** One step of a client, on a connection of its own. */
  abstract static class Writer implements Runnable, AutoCloseable {
    final RespClient wire;
    final String name;

    Writer(RespClient wire, String name) {
      this.wire = wire;
      this.name = name;
    }

    /** Checks the data when the load has ended. */
    abstract void verify(RespClient fresh);

    @Override
    public final void close() {
      wire.close();
    }
  }

  /**
   * The only writer of a counter and a string: each reply shows whether the command ran once and in
   * order, and whether the reply belongs to it.
   */
  static final class Sequence extends Writer {
    private final String counter;
    private final String text;
    private final int depth;
    private long count;

    Sequence(RespClient wire, String keyPrefix, int depth) {
      super(wire, "sequence of " + depth);
      this.counter = keyPrefix + "count:" + depth;
      this.text = keyPrefix + "text:" + depth;
      this.depth = depth;
    }

    @Override
    public void run() {
      for (int i = 1; i <= depth; i++) {
        wire.write(Wire.request("INCR", counter));
        wire.write(Wire.request("APPEND", text, token(count + i)));
        if (i % 7 == 0) {
          wire.write(Wire.request("GET", counter));
        }
      }
      wire.flush();
      for (int i = 1; i <= depth; i++) {
        long expected = count + i;
        assertThat(wire.read()).as("INCR %d", expected).isEqualTo(":" + expected + "\r\n");
        assertThat(wire.read())
            .as("APPEND %d", expected)
            .isEqualTo(":" + expected * token(0).length() + "\r\n");
        if (i % 7 == 0) {
          assertThat(wire.read()).as("GET").isEqualTo(Wire.bulk(Long.toString(expected)));
        }
      }
      count += depth;
    }

    static String token(long number) {
      return String.format("%08d,", number);
    }

    @Override
    void verify(RespClient fresh) {
      assertThat(fresh.call("GET", counter)).isEqualTo(Wire.bulk(Long.toString(count)));
      var expected = new StringBuilder();
      for (long i = 1; i <= count; i++) {
        expected.append(token(i));
      }
      assertThat(fresh.call("GET", text).equals(Wire.bulk(expected.toString()))).isTrue();
    }
  }

  /** One of several clients that increment the same counter. */
  static final class SharedCounter extends Writer {
    private final String key;
    private long acknowledged;
    private long last;

    SharedCounter(RespClient wire, String key) {
      super(wire, "shared counter");
      this.key = key;
    }

    long acknowledged() {
      return acknowledged;
    }

    @Override
    public void run() {
      String reply = wire.call("INCR", key);
      assertThat(reply).startsWith(":");
      long now = Long.parseLong(reply.substring(1, reply.length() - 2));
      assertThat(now).as("a counter only grows").isGreaterThan(last);
      last = now;
      acknowledged++;
    }

    @Override
    void verify(RespClient fresh) {
      // the test checks the sum of all
    }
  }

  /** Creates, reads and deletes keys: during a migration, missing keys get ASK. */
  static final class CreateAndDelete extends Writer {
    private final String prefix;
    private long count;

    CreateAndDelete(RespClient wire, String prefix) {
      super(wire, "creator");
      this.prefix = prefix;
    }

    @Override
    public void run() {
      String key = prefix + "new:" + count;
      String value = "value " + count;
      assertThat(wire.call("GET", key)).isIn("$-1\r\n", "_\r\n");
      assertThat(wire.call("SET", key, value, "NX")).isEqualTo("+OK\r\n");
      assertThat(wire.call("GET", key)).isEqualTo(Wire.bulk(value));
      assertThat(wire.call("DEL", key)).isEqualTo(":1\r\n");
      count++;
    }

    @Override
    void verify(RespClient fresh) {
      assertThat(fresh.call("EXISTS", prefix + "new:" + count)).isEqualTo(":0\r\n");
    }
  }

  /** Commands with several keys, which are on different nodes during a migration. */
  static final class Multi extends Writer {
    private final List<String> keys;
    private long count;

    /**
     * @param keys not written by any other client
     */
    Multi(RespClient wire, List<String> keys) {
      super(wire, "multi");
      this.keys = List.copyOf(keys);
    }

    @Override
    public void run() {
      String value = "value " + count;
      List<String> mset = new ArrayList<>(List.of("MSET"));
      List<String> mget = new ArrayList<>(List.of("MGET"));
      List<String> exists = new ArrayList<>(List.of("EXISTS"));
      List<String> unlink = new ArrayList<>(List.of("UNLINK"));
      var values = new StringBuilder("*" + keys.size() + "\r\n");
      for (int i = 0; i < keys.size(); i++) {
        mset.addAll(List.of(keys.get(i), value + i));
        mget.add(keys.get(i));
        exists.add(keys.get(i));
        unlink.add(keys.get(i));
        values.append(Wire.bulk(value + i));
      }
      assertThat(wire.call(mset.toArray(String[]::new))).as("MSET").isEqualTo("+OK\r\n");
      assertThat(wire.call(mget.toArray(String[]::new))).as("MGET").isEqualTo(values.toString());
      String all = ":" + keys.size() + "\r\n";
      assertThat(wire.call(exists.toArray(String[]::new))).as("EXISTS").isEqualTo(all);
      if (count % 5 == 4) {
        assertThat(wire.call(unlink.toArray(String[]::new))).as("UNLINK").isEqualTo(all);
      }
      count++;
    }

    @Override
    void verify(RespClient fresh) {
      assertThat(fresh.call("PING")).isEqualTo("+PONG\r\n");
    }
  }

  /** Pipelines of commands on two keys, together and separately: each sees all earlier ones. */
  static final class Pairs extends Writer {
    private final String one;
    private final String other;
    private long count;

    /**
     * @param keyPrefix of keys that no other client writes
     */
    Pairs(RespClient wire, String keyPrefix) {
      super(wire, "pairs");
      this.one = keyPrefix + ":one";
      this.other = keyPrefix + ":other";
    }

    @Override
    public void run() {
      String a = "a" + count;
      String b = "b" + count;
      count++;
      wire.write(Wire.request("MSET", one, a, other, a))
          .write(Wire.request("MGET", one, other))
          .write(Wire.request("SET", one, b))
          .write(Wire.request("MGET", one, other))
          .write(Wire.request("MULTI"))
          .write(Wire.request("SET", other, b))
          .write(Wire.request("GETDEL", one))
          .write(Wire.request("EXEC"))
          .write(Wire.request("GET", other))
          .write(Wire.request("EXISTS", one))
          .flush();
      assertThat(wire.read()).as("MSET").isEqualTo("+OK\r\n");
      assertThat(wire.read()).as("MGET").isEqualTo("*2\r\n" + Wire.bulk(a) + Wire.bulk(a));
      assertThat(wire.read()).as("SET").isEqualTo("+OK\r\n");
      assertThat(wire.read()).as("MGET").isEqualTo("*2\r\n" + Wire.bulk(b) + Wire.bulk(a));
      assertThat(wire.read()).isEqualTo("+OK\r\n");
      assertThat(wire.read()).isEqualTo("+QUEUED\r\n");
      assertThat(wire.read()).isEqualTo("+QUEUED\r\n");
      assertThat(wire.read()).as("EXEC").isEqualTo("*2\r\n+OK\r\n" + Wire.bulk(b));
      assertThat(wire.read()).as("GET").isEqualTo(Wire.bulk(b));
      assertThat(wire.read()).as("EXISTS").isEqualTo(":0\r\n");
    }

    @Override
    void verify(RespClient fresh) {
      assertThat(fresh.call("GET", other)).isEqualTo(Wire.bulk("b" + (count - 1)));
    }
  }

  /**
   * Increments two counters in a transaction: both must always have the same value, and the replies
   * must be true.
   */
  static final class TwinCounters extends Writer {
    private static final String INCREMENT = "return redis.call('INCR', KEYS[1])";
    private final String digest;
    private final String one;
    private final String other;
    private final boolean lenient;
    private long last;

    /**
     * @param lenient whether errors that Penstock documents are accepted
     */
    TwinCounters(RespClient wire, String keyPrefix, boolean lenient) {
      super(wire, "twins");
      this.digest = Wire.content(wire.call("SCRIPT", "LOAD", INCREMENT));
      this.one = keyPrefix + ":one";
      this.other = keyPrefix + ":other";
      this.lenient = lenient;
    }

    @Override
    public void run() {
      wire.write(Wire.request("MULTI"))
          .write(Wire.request("INCR", one))
          .write(Wire.request("ECHO", "between"))
          .write(Wire.request("EVALSHA", digest, "1", other))
          .write(Wire.request("EXEC"))
          .flush();
      assertThat(wire.read()).isEqualTo("+OK\r\n");
      for (int i = 0; i < 3; i++) {
        assertThat(wire.read()).isEqualTo("+QUEUED\r\n");
      }
      String reply = wire.read();
      if (lenient && reply.startsWith("-")) {
        assertThat(reply)
            .matches("-(CONNLOST|TIMEOUT|UNAVAILABLE|CLUSTERDOWN|EXECABORT) [^\r]*\r\n");
        return;
      }
      assertThat(reply).matches("\\*3\r\n:(\\d+)\r\n\\$7\r\nbetween\r\n:\\1\r\n");
      long now = Long.parseLong(reply.substring(5, reply.indexOf('\r', 5)));
      // A killed master may have acknowledged a transaction that its replica did not receive.
      assertThat(now).isGreaterThanOrEqualTo(lenient ? last : last + 1);
      assertThat(lenient || now == last + 1).as("each ran once").isTrue();
      last = now;
    }

    @Override
    void verify(RespClient fresh) {
      String value = fresh.call("GET", one);
      assertThat(fresh.call("GET", other)).isEqualTo(value);
      assertThat(Long.parseLong(Wire.content(value))).isGreaterThanOrEqualTo(last);
    }
  }
}
