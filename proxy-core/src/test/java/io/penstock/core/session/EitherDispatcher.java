package io.penstock.core.session;

import static io.penstock.core.session.Requests.call;
import static io.penstock.testkit.network.ScriptedNode.NAMING;

import io.penstock.testkit.network.Peer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.Parameter;

/**
 * Base of a test class whose tests run with each dispatcher. It is a {@code ParameterizedClass}
 * with the values {@code async} and {@code sync}. Each test has its own rig, which starts when it
 * is first used.
 */
abstract class EitherDispatcher {

  static final String CONNLOST =
      "-CONNLOST the connection to the node was lost; the command may have run\r\n";

  @Parameter
  @SuppressWarnings("NullAway.Init")
  private String dispatch;

  private @Nullable Rig started;

  /** Options of the rig of most tests, as far as they are the same for both dispatchers. */
  abstract RigOptions options();

  /** The number of connections to a node that the sync dispatcher may use for turns. */
  abstract int turnConnections();

  @AfterEach
  void close() {
    rig().close();
  }

  /**
   * Returns the test's rig, with {@link #options()} unless it was {@linkplain #start started} with
   * others.
   */
  final Rig rig() {
    Rig rig = started;
    return rig != null ? rig : start(options());
  }

  /** Starts the test's rig with the dispatcher under test. No rig may be started yet. */
  final Rig start(RigOptions options) {
    Rig rig = (isSync() ? options.sync(turnConnections()) : options).start();
    started = rig;
    return rig;
  }

  final boolean isSync() {
    return dispatch.equals("sync");
  }

  /** Accepts the proxy's next connection to a node for requests. */
  final Peer accept(int node) {
    return isSync() ? acceptOwn(node) : rig().accept(node);
  }

  /** Accepts the proxy's next connection to a node, which is for a single client. */
  final Peer acceptOwn(int node) {
    return rig().acceptUnanswered(node).expect(NAMING + call("CLIENT ID")).send("+OK\r\n:7\r\n");
  }
}
