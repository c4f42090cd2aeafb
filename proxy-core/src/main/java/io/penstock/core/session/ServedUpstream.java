package io.penstock.core.session;

import io.penstock.core.client.Nodes;
import io.penstock.core.observe.Label;
import io.penstock.core.script.Scripts;
import io.penstock.core.upstream.ProxyChain;

/**
 * What the clients of all loops see of an upstream.
 *
 * @param label what log lines name
 * @param times how long requests may take
 * @param database of clients that select none
 * @param scripts that clients sent
 * @param chain the Penstocks that requests pass through
 */
public record ServedUpstream(
    Label label, Nodes.Timeouts times, int database, Scripts scripts, ProxyChain chain) {

  /** With a chain without an id. */
  public ServedUpstream(Label label, Nodes.Timeouts times, int database, Scripts scripts) {
    this(label, times, database, scripts, ProxyChain.withoutId());
  }
}
