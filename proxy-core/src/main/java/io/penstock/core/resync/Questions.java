package io.penstock.core.resync;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.mirror.CopyRequest;
import io.penstock.core.resp.Protocol;
import io.penstock.core.side.Side;
import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Asks one side. Confined to the jobs' loop. */
final class Questions {

  /** Takes a reply that is no error, in one or several parts. Confined to the jobs' loop. */
  interface ReplySink {

    /**
     * Takes the next part.
     *
     * @param buffer borrowed
     */
    void add(ByteBuf buffer, int from, int to);

    /** The reply is complete. */
    void end();
  }

  /** Requests at a time have different affinities, so that few wait for another in any dispatch. */
  private static final int AFFINITIES = 32;

  private static final int FIRST_AFFINITY = -10_001; // clients have positive ones

  /** For requests that take servers long. */
  private static final long LONG_NANOS = 60_000_000_000L;

  private final Loop loop;
  private final Supplier<Side> sides;
  private final String name;
  private final Map<Integer, ConnectionKey> connections = new HashMap<>();
  private int sent;

  /**
   * @param name {@code primary} or {@code copy}
   */
  Questions(Loop loop, Supplier<Side> sides, String name) {
    this.loop = loop;
    this.sides = sides;
    this.name = name;
  }

  String name() {
    return name;
  }

  private Side side() {
    return sides.get();
  }

  Placement placement() {
    return side().dispatcher().nodes().placement();
  }

  /** Returns the number of the database that the side's own connections have selected. */
  int ownDatabase() {
    List<Endpoint> masters = placement().masters();
    return masters.isEmpty() ? 0 : masters.getFirst().access().database();
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Makes a request; arguments are texts, with a character for each byte, or bytes. */
  static CopyRequest request(Object... arguments) {
    List<byte[]> all = new ArrayList<>(arguments.length);
    for (Object argument : arguments) {
      all.add(argument instanceof byte[] raw ? raw : bytes(argument.toString()));
    }
    return new CopyRequest(all);
  }

  /** Returns whether the node of a key keeps up. */
  boolean mayRead(byte[] key) {
    Side side = side();
    return side.mayRead(
        side.partitioner().partitionOf(key), Protocol.RESP2, FIRST_AFFINITY - sent % AFFINITIES);
  }

  /** Sends a request to the node that serves a key. */
  <S extends ReplySink> CompletableFuture<S> atKey(
      int database, byte[] key, CopyRequest request, S sink) {
    return atKey(database, key, request, sink, false);
  }

  /**
   * Sends a request to the node that serves a key.
   *
   * @param takesLong whether the reply may come later than a client would wait
   */
  <S extends ReplySink> CompletableFuture<S> atKey(
      int database, byte[] key, CopyRequest request, S sink, boolean takesLong) {
    Side side = side();
    Question<S> question =
        question(side, database, request, sink, takesLong).of(side.partitioner().partitionOf(key));
    side.send(question);
    return question.answer();
  }

  /** Sends a request to a node, whatever it serves. */
  <S extends ReplySink> CompletableFuture<S> atNode(
      Endpoint node, int database, CopyRequest request, S sink) {
    Side side = side();
    Question<S> question = question(side, database, request, sink, false);
    question.sentTo(node);
    side.dispatcher().dispatchTo(node, question, false);
    return question.answer();
  }

  private <S extends ReplySink> Question<S> question(
      Side side, int database, CopyRequest request, S sink, boolean takesLong) {
    ConnectionKey key = connections.computeIfAbsent(database, Questions::connectionsOf);
    sent = (sent + 1) % AFFINITIES;
    long timeout = takesLong ? Math.max(LONG_NANOS, side.timeoutNanos()) : side.timeoutNanos();
    return new Question<>(side, request, key, FIRST_AFFINITY - sent, loop.tick() + timeout, sink);
  }

  private static ConnectionKey connectionsOf(int database) {
    return database == ConnectionKey.DEFAULT_DATABASE
        ? ConnectionKey.PLAIN
        : ConnectionKey.ofDatabase(database);
  }

  /** Returns the masters that serve something, each once. */
  List<Endpoint> masters() {
    Placement placement = placement();
    int[] first = placement.firstPartitions();
    List<Endpoint> masters = new ArrayList<>();
    for (int i = 0; i < first.length; i++) {
      Endpoint master = placement.shards().get(i).master();
      if (first[i] >= 0 && !masters.contains(master)) {
        masters.add(master);
      }
    }
    return masters;
  }

  /** Completes if all nodes answer; fails with a {@link NoAnswerException} if not. */
  CompletableFuture<Void> probe() {
    if (!placement().isFullyCovered()) {
      return CompletableFuture.failedFuture(new NoAnswerException("not all slots have a master"));
    }
    return CompletableFuture.allOf(
        masters().stream()
            .map(each -> atNode(each, -1, request("PING"), new Gathered(1024)))
            .toArray(CompletableFuture[]::new));
  }
}
