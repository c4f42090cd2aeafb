package io.penstock.core.session;

import static io.penstock.core.session.Requests.call;
import static io.penstock.testkit.network.ScriptedNode.NAMING;

import io.penstock.testkit.network.Peer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.Parameter;

/**
 * A test class whose tests run once with each dispatcher. It is a {@code ParameterizedClass} with
 * the values {@code async} and {@code sync}. Each test has a rig of its own, which starts when it
 * is first asked for.
 */
abstract class EitherDispatcher {

  static final String CONNLOST =
      "-CONNLOST the connection to the node was lost; the command may have run\r\n";

  @Parameter
  @SuppressWarnings("NullAway.Init")
  private String dispatch;

  private @Nullable Rig started;

  /** The rig of most tests, as far as it is the same for both dispatchers. */
  abstract Rig.Choice choice();

  /** Most connections to a node that clients take turns on with the synchronous dispatcher. */
  abstract int turnConnections();

  @AfterEach
  void close() {
    rig().close();
  }

  /** The test's rig; {@link #choice()} unless it was {@linkplain #start started} otherwise. */
  final Rig rig() {
    Rig rig = started;
    return rig != null ? rig : start(choice());
  }

  /** Starts the test's rig with the dispatcher that is tested. Nothing may be started yet. */
  final Rig start(Rig.Choice choice) {
    Rig rig = (isSync() ? choice.sync(turnConnections()) : choice).start();
    started = rig;
    return rig;
  }

  final boolean isSync() {
    return dispatch.equals("sync");
  }

  /** The proxy's next connection to a node, by which requests go. */
  final Peer accept(int node) {
    return isSync() ? acceptOwn(node) : rig().accept(node);
  }

  /** The proxy's next connection to a node is for a single client. */
  final Peer acceptOwn(int node) {
    return rig().acceptUnanswered(node).expect(NAMING + call("CLIENT ID")).send("+OK\r\n:7\r\n");
  }
}
