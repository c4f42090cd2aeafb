package io.penstock.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.reply.ReplySlot;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class SessionStateTest {

  private static final int READ_AHEAD = 64 * 1024;

  private final ReplySlot request = new ReplySlot();

  private static SessionState after(SessionState state, Consumer<SessionState> event) {
    event.accept(state);
    return state;
  }

  private Map<String, Supplier<SessionState>> states() {
    Map<String, Supplier<SessionState>> states = new LinkedHashMap<>();
    states.put("awaiting auth", () -> new SessionState(true));
    states.put("serving", () -> new SessionState(false));
    states.put("suspended", () -> after(new SessionState(false), it -> it.onSuspend(request)));
    states.put(
        "changing routes", () -> after(new SessionState(false), SessionState::onRoutesChange));
    states.put("closing", () -> after(new SessionState(false), SessionState::onEnd));
    states.put("closed", () -> after(new SessionState(false), SessionState::onClosed));
    return states;
  }

  private SessionState state(String name) {
    return Objects.requireNonNull(states().get(name)).get();
  }

  private Map<String, Consumer<SessionState>> events() {
    Map<String, Consumer<SessionState>> events = new LinkedHashMap<>();
    events.put("authenticated", SessionState::onAuthenticated);
    events.put("reset", state -> state.onReset(true));
    events.put("reset without password", state -> state.onReset(false));
    events.put("suspend", state -> state.onSuspend(request));
    events.put("resume", state -> state.onResume(request));
    events.put("resume by another", state -> state.onResume(new ReplySlot()));
    events.put("routes change", SessionState::onRoutesChange);
    events.put("routes changed", SessionState::onRoutesChanged);
    events.put("end", SessionState::onEnd);
    events.put("closed", SessionState::onClosed);
    return events;
  }

  /** The states that events lead to, named by what can be seen of them. */
  private static String name(SessionState state) {
    if (state.isEnding()) {
      return state.isClosed() ? "closed" : "closing";
    }
    if (state.mayHandle()) {
      return state.isAuthenticated() ? "serving" : "awaiting auth";
    }
    return state.isChangingRoutes() ? "changing routes" : "suspended";
  }

  @Test
  void eventsChangeTheStateAsInTheDiagram() {
    Map<String, String> changes = new LinkedHashMap<>();
    states()
        .forEach((from, state) ->
            events()
                .forEach((event, action) -> {
                  String to = name(after(state.get(), action));
                  if (!to.equals(from)) {
                    changes.put(from + ", " + event, to);
                  }
                }));

    Map<String, String> expected = new LinkedHashMap<>();
    expected.put("awaiting auth, authenticated", "serving");
    expected.put("serving, reset", "awaiting auth");
    expected.put("serving, suspend", "suspended");
    expected.put("suspended, resume", "serving");
    expected.put("serving, routes change", "changing routes");
    expected.put("changing routes, routes changed", "serving");
    for (String from : states().keySet()) {
      if (!from.equals("closing") && !from.equals("closed")) {
        expected.put(from + ", end", "closing");
      }
      if (!from.equals("closed")) {
        expected.put(from + ", closed", "closed");
      }
    }
    assertThat(changes).containsExactlyInAnyOrderEntriesOf(expected);
  }

  @Test
  void aWaitingClientIsReadUntilMuchHasArrived() {
    for (String waiting : new String[] {"suspended", "changing routes"}) {
      SessionState state = state(waiting);

      assertThat(state.mustRead(READ_AHEAD - 1, true)).as(waiting).isTrue();
      assertThat(state.mustRead(READ_AHEAD, true)).as(waiting).isFalse();
    }
  }

  @Test
  void aClosingClientIsReadUntilItsEnd() {
    SessionState closing = state("closing");

    assertThat(closing.mustRead(READ_AHEAD, false)).isTrue();
    assertThat(closing.mustRead(0, true)).isFalse();
  }

  @Test
  void otherClientsAreReadWhenTheyMayBeHandledOnly() {
    for (String other : new String[] {"awaiting auth", "serving", "closed"}) {
      assertThat(state(other).mustRead(0, false)).as(other).isFalse();
    }
  }
}
