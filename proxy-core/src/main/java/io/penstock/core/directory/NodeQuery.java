package io.penstock.core.directory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.upstream.Endpoint;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends the same request to several nodes once, for Penstock's own use: replies of nodes that do
 * not answer are missing, and nothing is retried. Confined to the client's loop.
 */
public final class NodeQuery {

  private final Client client;
  private final @Nullable String[] replies;
  private final Consumer<List<@Nullable String>> done;
  private int missing;

  private NodeQuery(Client client, int nodes, Consumer<List<@Nullable String>> done) {
    this.client = client;
    this.replies = new @Nullable String[nodes];
    this.done = done;
    this.missing = nodes;
  }

  /**
   * Sends the request.
   *
   * @param nodes the nodes
   * @param request the request's bytes, as characters
   * @param done gets the whole reply of each node, as characters, in the order of the nodes; null
   *     for a node that did not answer in time
   */
  public static void send(
      ClientContext context,
      List<Endpoint> nodes,
      String request,
      Consumer<List<@Nullable String>> done) {
    if (nodes.isEmpty()) {
      done.accept(List.of());
      return;
    }
    NodeQuery query = new NodeQuery(context.client(), nodes.size(), done);
    ByteBuf buffer = ByteBufAllocator.DEFAULT.directBuffer(request.length());
    buffer.writeCharSequence(request, StandardCharsets.ISO_8859_1);
    SharedBuffer shared = new SharedBuffer(buffer);
    for (int i = 0; i < nodes.size(); i++) {
      QueryExchange exchange = query.new QueryExchange(i);
      exchange.prepare(context, shared.share(), request.length());
      context.nodes().dispatchTo(nodes.get(i), exchange, false);
    }
    shared.release();
  }

  private void answered(int index, @Nullable String reply) {
    replies[index] = reply;
    if (--missing == 0) {
      done.accept(Arrays.asList(replies));
    }
  }

  /** The exchange with one node. */
  private final class QueryExchange extends Exchange {

    private final int index;
    private final StringBuilder parts = new StringBuilder(0);

    QueryExchange(int index) {
      this.index = index;
    }

    void prepare(ClientContext context, SharedBuffer bytes, int length) {
      bytes(bytes, 0, length);
      long deadline = context.loop().now() + context.nodes().commandTimeoutNanos();
      sendOptions(client.protocol(), client.affinity(), deadline);
    }

    @Override
    public void onReply(ByteBuf buffer, int from, int to) {
      end(text(buffer, from, to));
    }

    @Override
    public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
      parts.append(text(buffer, from, to));
      if (last) {
        end(parts.toString());
      }
    }

    @Override
    public void onFailure(Failure failure) {
      end(null);
    }

    @Override
    public boolean recoverFrom(Throwable defect) {
      client.fail(defect);
      releaseBytes();
      return true;
    }

    private void end(@Nullable String reply) {
      releaseBytes();
      answered(index, reply);
    }

    private static String text(ByteBuf buffer, int from, int to) {
      return buffer.toString(from, to - from, StandardCharsets.ISO_8859_1);
    }
  }
}
