package io.penstock.core.script;

import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;

/** One event loop's access to the scripts that clients sent. Confined to that loop. */
public final class LoopScripts {

  private final Scripts all;
  private final DigestCache digests = new DigestCache();

  /**
   * @param all the scripts of all loops
   */
  public LoopScripts(Scripts all) {
    this.all = all;
  }

  /**
   * Records the script in a request that is sent to the nodes, or forgets all scripts on {@code
   * SCRIPT FLUSH}.
   */
  public void record(CommandSpec spec, RequestFrame frame) {
    all.record(spec, frame, digests);
  }

  /** Returns the scripts of all loops. */
  Scripts all() {
    return all;
  }
}
