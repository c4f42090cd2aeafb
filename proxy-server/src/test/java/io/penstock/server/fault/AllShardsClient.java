package io.penstock.server.fault;

import io.penstock.testkit.wire.Wire;

/** Sends what concerns all shards: a write without keys, and sums over all masters. */
final class AllShardsClient extends WorkloadClient {

  private static final String LIBRARY =
      "#!lua name=fault\nredis.register_function('fault', function() return 1 end)";

  AllShardsClient(String name, FaultWorkload crowd, ClientConnection.Kind kind) {
    super(name, crowd, kind);
  }

  @Override
  void step() {
    // One by one: what was refused is not sent again past another (decision 4).
    expect(Wire.bulk("fault"), ask("FUNCTION", "LOAD", "REPLACE", LIBRARY));
    expect(":", ask("DBSIZE"));
    expect("*1\r\n:0\r\n", ask("SCRIPT", "EXISTS", "0".repeat(40)));
  }

  private static void expect(String beginning, String reply) {
    if (reply.charAt(0) != '-' && !reply.startsWith(beginning)) {
      throw new AssertionError("answered " + Wire.shown(reply));
    }
  }

  @Override
  void verify(ClientConnection fresh) {
    // nothing is left behind
  }
}
