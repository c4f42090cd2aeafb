package io.penstock.core.reply;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ActivityTest {

  private static final int MANY_CLIENTS = 1_000;

  private final LoopGroup group = new LoopGroup(Transport.NIO, 1); // no thread is started
  private final Loop loop = group.loops().getFirst();

  @AfterEach
  void end() {
    group.shutdown().toCompletableFuture().join();
  }

  @Test
  void clientsWithoutPipeliningCountAsActive() {
    clients().forEach(client -> askedBefore(client, 1).onBytes(loop, 100));
    assertThat(loop.activeClients().areMany()).isTrue();
  }

  @Test
  void pipeliningClientsDoNotCountAsActive() {
    clients().forEach(client -> askedBefore(client, 2).onBytes(loop, 100));
    assertThat(loop.activeClients().areMany()).isFalse();
  }

  private Stream<Activity> clients() {
    long longAgo = loop.now() - TimeUnit.MINUTES.toNanos(1);
    return Stream.generate(() -> new Activity(longAgo)).limit(MANY_CLIENTS);
  }

  private static Activity askedBefore(Activity client, int requests) {
    for (int i = 0; i < requests; i++) {
      client.onRequest(null);
    }
    return client;
  }
}
