package io.penstock.core.script;

import io.penstock.core.command.CommandSpec;
import io.penstock.core.resp.RequestFrame;

/** The scripts that clients brought, as one event loop knows them. Confined to that loop. */
public final class LoopScripts {

  private final Scripts all;
  private final DigestCache digests = new DigestCache();

  /**
   * @param all of all loops
   */
  public LoopScripts(Scripts all) {
    this.all = all;
  }

  /** Remembers the script that a request on its way to the nodes carries, or forgets all. */
  public void record(CommandSpec spec, RequestFrame frame) {
    all.record(spec, frame, digests);
  }

  /** Those of all loops. */
  Scripts all() {
    return all;
  }
}
