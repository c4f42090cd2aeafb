package io.penstock.core.session;

import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.core.session.Requests.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.Timeline;
import io.penstock.core.reply.ReplyObserver;
import io.penstock.core.spec.CommandSpec;
import io.penstock.testkit.network.Peer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an observer of replies is told, and the times of the phases that it asks for. */
class TimelineTest {

  private final Rig rig = Rig.cluster();
  private final List<Seen> seen = new ArrayList<>();

  private record Seen(
      String command, Outcome outcome, long nanos, long bytes, @Nullable Timeline timeline) {

    Timeline times() {
      return Objects.requireNonNull(timeline);
    }
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private void observe(String sampled) {
    rig.onLoop(() -> {
      rig.sessions()
          .observe(
              new ReplyObserver() {
                @Override
                public boolean wantsTimeline(CommandSpec command) {
                  return command.name().equals(sampled);
                }

                @Override
                public void onReply(
                    CommandSpec command,
                    Outcome outcome,
                    long nanos,
                    long bytes,
                    @Nullable Timeline timeline) {
                  seen.add(new Seen(command.name(), outcome, nanos, bytes, timeline));
                }
              });
      return true;
    });
  }

  private List<Seen> seen() {
    return rig.onLoop(() -> List.copyOf(seen));
  }

  @Test
  void theTimesOfARequestAreThoseOfItsWayToTheNodeAndBack() {
    observe("get");
    Peer client = rig.client();

    client.send(get("a"));
    rig.accept(1).expect(get("a")).send("$1\r\nv\r\n");
    client.expect("$1\r\nv\r\n");

    Seen reply = seen().getFirst();
    Timeline times = reply.times();
    assertThat(reply.command()).isEqualTo("get");
    assertThat(reply.outcome()).isEqualTo(Outcome.OK);
    assertThat(reply.bytes()).isEqualTo(7);
    assertThat(times.node()).isEqualTo(rig.address(1));
    assertThat(reply.nanos()).isPositive();
    assertThat(times.routed()).isGreaterThanOrEqualTo(times.arrived());
    assertThat(times.sent()).isGreaterThanOrEqualTo(times.routed());
    assertThat(times.firstByte()).isGreaterThan(times.sent());
  }

  @Test
  void onlyRequestsThatAnObserverAsksForHaveTimes() {
    observe("get");
    Peer client = rig.client();

    client.send(set("a", "1"));
    rig.accept(1).expect(set("a", "1")).send("-ERR no\r\n");
    client.expect("-ERR no\r\n");

    assertThat(seen()).extracting(Seen::command).containsExactly("set");
    assertThat(seen().getFirst().outcome()).isEqualTo(Outcome.ERROR);
    assertThat(seen().getFirst().timeline()).isNull();
  }

  @Test
  void whatPenstockAnswersItselfIsNeverSent() {
    observe("ping");
    Peer client = rig.client();

    client.send(call("PING")).expect("+PONG\r\n");

    Timeline times = seen().getFirst().times();
    assertThat(times.node()).isNull();
    assertThat(times.firstByte()).isEqualTo(times.sent()).isEqualTo(times.routed());
  }

  @Test
  void aSplitRequestHasTheNodeThatItWasSentToLast() {
    observe("mget");
    Peer client = rig.client();

    client.send(call("MGET a b"));
    rig.accept(1).expect(call("MGET a")).send("*1\r\n$1\r\n1\r\n");
    rig.accept(0).expect(call("MGET b")).send("*1\r\n$1\r\n2\r\n");
    client.expect("*2\r\n$1\r\n1\r\n$1\r\n2\r\n");

    Timeline times = seen().getFirst().times();
    assertThat(times.node()).isIn(rig.address(0), rig.address(1));
    assertThat(times.firstByte()).isGreaterThan(times.sent());
  }

  @Test
  void aReplyIsStillCounted() {
    observe("get");
    Peer client = rig.client();

    client.send(call("PING")).expect("+PONG\r\n");

    CommandSpec ping = rig.onLoop(() -> rig.sessions().servers().commands().byName("ping"));
    assertThat(rig.<Long>onLoop(() -> rig.sessions().counters().count(ping.id(), Outcome.OK)))
        .isEqualTo(1);
  }
}
