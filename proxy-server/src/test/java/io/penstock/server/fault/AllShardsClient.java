package io.penstock.server.fault;

import io.penstock.testkit.wire.Wire;

/** Sends commands to all shards: a write without keys, and sums over all masters. */
final class AllShardsClient extends WorkloadClient {

  private static final String LIBRARY =
      "#!lua name=fault\nredis.register_function('fault', function() return 1 end)";

  AllShardsClient(String name, FaultWorkload workload, ClientConnection.Kind kind) {
    super(name, workload, kind);
  }

  @Override
  void step() {
    // One at a time: a retry must not overtake a later command (decision 4).
    expect(Wire.bulk("fault"), call("FUNCTION", "LOAD", "REPLACE", LIBRARY));
    expect(":", call("DBSIZE"));
    expect("*1\r\n:0\r\n", call("SCRIPT", "EXISTS", "0".repeat(40)));
  }

  private static void expect(String prefix, String reply) {
    if (reply.charAt(0) != '-' && !reply.startsWith(prefix)) {
      throw new AssertionError("answered " + Wire.shown(reply));
    }
  }

  @Override
  void verify(ClientConnection fresh) {
    // it writes no keys
  }
}
