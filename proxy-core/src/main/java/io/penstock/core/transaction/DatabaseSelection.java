package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.answer.ProxyView;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.backend.Failure;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.LeasedExchange;
import io.penstock.core.client.Nodes;
import io.penstock.core.command.Command;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.command.ServerVersion;
import io.penstock.core.observe.Outcome;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.retry.ClientExchange;
import io.penstock.core.retry.ExchangeOwner;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.upstream.Placement;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;

/**
 * A client's {@code SELECT}. Connections to nodes are shared, so it changes none of them: the
 * client's next requests go over connections that are on its database. A node is asked once whether
 * it has the database. Confined to the client's loop.
 */
public final class DatabaseSelection {

  private static final byte[] OK = "+OK\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final String NOT_AN_INTEGER = "ERR value is not an integer or out of range";
  private static final String NOT_AN_INT =
      "ERR value is out of range, value must between -2147483648 and 2147483647";
  private static final String NO_DATABASE = "ERR DB index is out of range";

  /** The first version of Valkey with databases in a cluster. */
  private static final int VALKEY_WITH_DATABASES = 9;

  private final ClientContext context;
  private final ExchangeOwner owner;
  private final Transactions transactions;
  private final int own;
  private final Client client;
  private final Nodes nodes;

  /**
   * @param own the upstream's own database, which always exists
   */
  public DatabaseSelection(
      ClientContext context, ExchangeOwner owner, Transactions transactions, int own) {
    this.own = own;
    this.context = context;
    this.owner = owner;
    this.transactions = transactions;
    this.client = context.client();
    this.nodes = context.nodes();
  }

  /**
   * Returns whether clients may select databases: not where nodes form a cluster without databases,
   * nor where Penstock shows itself as one.
   */
  public static boolean isPossible(ServerFacts servers, Nodes nodes, ProxyView proxy) {
    Placement placement = nodes.placement();
    if (!placement.isOneCluster()) {
      return proxy.facade() == null;
    }
    ServerVersion valkey = servers.valkey();
    return valkey != null && valkey.major() >= VALKEY_WITH_DATABASES;
  }

  /** Answers the request; {@code spec} is the spec of its command. */
  public void answer(CommandSpec spec, IncomingRequest request) {
    Command command = request.command();
    ReplySlot slot = request.begin(spec);
    long number = command.argAsLong(1);
    if (number == Command.NOT_A_LONG) {
      slot.answer(ErrorReplies.encode(NOT_AN_INTEGER), Outcome.REJECTED);
    } else if (number != (int) number) {
      slot.answer(ErrorReplies.encode(NOT_AN_INT), Outcome.REJECTED);
    } else if (number < 0 || number > ConnectionKey.MAX_DATABASE) {
      slot.answer(ErrorReplies.encode(NO_DATABASE), Outcome.REJECTED);
    } else if (number == client.databaseNumber()) {
      slot.answer(OK, Outcome.OK);
    } else {
      select(spec, (int) number, slot);
    }
  }

  private void select(CommandSpec spec, int number, ReplySlot slot) {
    Watch watch = transactions.watchThatSelects();
    if (watch != null) {
      client.suspend(slot);
      watch.send(new WatchedSelect(context, watch, spec, number, slot));
    } else if (number == own || nodes.isKnownDatabase(number)) {
      client.select(number);
      slot.answer(OK, Outcome.OK);
    } else {
      client.suspend(slot);
      askNodes(spec, number, slot);
    }
  }

  /** Sends it to a node of each system, one after the other. Each may reject it. */
  private void askNodes(CommandSpec spec, int number, ReplySlot slot) {
    nodes.dispatch(new NodeSelect(owner, spec, number, slot, partitionsToAsk()));
  }

  /** Returns a partition of each shard where shards are separate systems, otherwise none. */
  private ArrayDeque<Integer> partitionsToAsk() {
    Placement placement = nodes.placement();
    ArrayDeque<Integer> partitions = new ArrayDeque<>();
    if (placement.hasSeparateSystems()) {
      for (int first : placement.firstPartitions()) {
        if (first >= 0) {
          partitions.add(first);
        }
      }
    }
    return partitions;
  }

  private static SharedBuffer request(int number) {
    return new SharedBuffer(
        Unpooled.wrappedBuffer(WireRequest.of("SELECT", Integer.toString(number))));
  }

  /** The exchange with a node, over a connection whose database does not matter. */
  private final class NodeSelect extends ClientExchange {

    private final CommandSpec spec;
    private final int number;
    private final ReplySlot slot;
    private final ArrayDeque<Integer> partitions; // whose nodes are to be asked

    NodeSelect(
        ExchangeOwner owner,
        CommandSpec spec,
        int number,
        ReplySlot slot,
        ArrayDeque<Integer> partitions) {
      super(owner);
      this.spec = spec;
      this.number = number;
      this.slot = slot;
      this.partitions = partitions;
      SharedBuffer bytes = request(number);
      setRequestBytes(bytes, 0, bytes.buffer().readableBytes());
      if (partitions.isEmpty()) {
        prepareForAnyNode(spec);
      } else {
        prepare(spec, partitions.remove());
      }
      treatAsRead();
      useConnections(client.connections().withAnyDatabase());
    }

    @Override
    public void deliver(ByteBuf buffer, int from, int to, Outcome outcome) {
      releaseRequest();
      if (outcome == Outcome.OK && !partitions.isEmpty()) {
        nodes.dispatch(new NodeSelect(owner(), spec, number, slot, partitions));
        return;
      }
      if (outcome == Outcome.OK) {
        nodes.onDatabaseAccepted(number);
        client.select(number);
      }
      client.resume(slot);
      slot.deliver(buffer, from, to, outcome);
    }

    @Override
    public void answer(byte[] reply, Outcome outcome) {
      releaseRequest();
      client.resume(slot);
      slot.answer(reply, outcome);
    }

    @Override
    public void deliverPart(ByteBuf buffer, int from, int to, boolean last) {
      throw new IllegalStateException("SELECT was answered with a large reply");
    }

    @Override
    public void dropPending() {
      slot.dropPending();
    }

    @Override
    public boolean hasStartedReply() {
      return slot.hasBegun();
    }
  }

  /** The exchange over the connection with watched keys, which is moved to the database. */
  private final class WatchedSelect extends LeasedExchange {

    private final Watch watch;
    private final CommandSpec spec;
    private final int number;
    private final ReplySlot slot;

    WatchedSelect(
        ClientContext context, Watch watch, CommandSpec spec, int number, ReplySlot slot) {
      super(context.client());
      this.watch = watch;
      this.spec = spec;
      this.number = number;
      this.slot = slot;
      SharedBuffer bytes = request(number);
      bytes(bytes, 0, bytes.buffer().readableBytes());
      long deadline = context.loop().tick() + nodes.commandTimeoutNanos();
      sendOptions(client.protocol(), client.affinity(), deadline);
    }

    @Override
    public void onReply(ByteBuf buffer, int from, int to) {
      releaseBytes();
      boolean accepted = buffer.getByte(from) == '+';
      if (accepted) {
        watch.onMoved();
        nodes.onDatabaseAccepted(number);
        client.select(number);
      }
      client.resume(slot);
      slot.deliver(buffer, from, to, accepted ? Outcome.OK : Outcome.ERROR);
    }

    @Override
    public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
      throw new IllegalStateException("SELECT was answered with a large reply");
    }

    /** The keys are not watched any more, so that the transaction will not run. */
    @Override
    public void onFailure(Failure failure) {
      releaseBytes();
      watch.invalidate();
      if (client.isClosed()) {
        return;
      }
      askNodes(spec, number, slot);
    }
  }
}
