package io.penstock.core.observe;

/**
 * The name of a listener or an upstream.
 *
 * @param name as configured
 * @param prefix what log lines about it begin with; empty if the proxy has no other
 */
public record Label(String name, String prefix) {

  /** The only listener, or the only upstream, of a proxy. */
  public static final Label ONLY = new Label("default", "");

  /** Returns the label of a listener; {@code alone} if the proxy has no other. */
  public static Label ofListener(String name, boolean alone) {
    return new Label(name, alone ? "" : "Listener " + name + ": ");
  }

  /** Returns the label of an upstream; {@code alone} if the proxy has no other. */
  public static Label ofUpstream(String name, boolean alone) {
    return new Label(name, alone ? "" : "Upstream " + name + ": ");
  }
}
