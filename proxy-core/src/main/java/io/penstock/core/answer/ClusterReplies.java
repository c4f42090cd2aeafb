package io.penstock.core.answer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.ClientProfile;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.Nodes;
import io.penstock.core.cluster.ClusterFacade;
import io.penstock.core.cluster.ClusterFacade.Member;
import io.penstock.core.cluster.ShownSlots;
import io.penstock.core.cluster.Slot;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.cluster.SlotPartitioner;
import io.penstock.core.command.Command;
import io.penstock.core.command.ServerWords;
import io.penstock.core.directory.NodeQuery;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.LocalCommand;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Shard;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers {@code CLUSTER} and related commands: with a {@link ClusterFacade} as a cluster of
 * Penstock's instances, without one as a server outside a cluster, where Valkey 8 accepts {@code
 * READONLY}. Each instance serves every slot, so that clients are never redirected.
 */
public final class ClusterReplies {

  private static final String DISABLED = "ERR This instance has cluster support disabled";
  private static final String NOT_AN_INTEGER = "ERR value is not an integer or out of range";
  private static final String NO_SLOTS =
      " is not supported by this proxy: the server behind it has no slots";
  private static final String CONFIGURED =
      " is not allowed through this proxy: the cluster it shows is made by its configuration";

  private final ClientContext context;
  private final Client client;
  private final Nodes nodes;
  private final ClientProfile profile;
  private final SessionControl control;
  private final ProxyView proxy;

  public ClusterReplies(AnswerContext parts) {
    this.context = parts.context();
    this.client = context.client();
    this.nodes = context.nodes();
    this.profile = parts.profile();
    this.control = parts.control();
    this.proxy = parts.answerLoop().proxy();
  }

  /** Answers the request; {@code spec} is the spec of its command. */
  public void answer(CommandSpec spec, LocalCommand which, IncomingRequest incoming) {
    if (which == LocalCommand.READONLY || which == LocalCommand.READWRITE) {
      setMode(spec, which, incoming);
      return;
    }
    ClusterFacade facade = proxy.facade();
    Command command = incoming.command();
    if (facade == null
        && which == LocalCommand.CLUSTER_KEYSLOT
        && ServerWords.hasSlotsWithoutCluster(context.reader().servers())) {
      give(incoming, spec, reply -> reply.integer(keySlot(command)));
      return;
    }
    if (facade == null) {
      give(incoming, spec, reply -> reply.error(DISABLED));
      return;
    }
    switch (which) {
      case CLUSTER_COUNTKEYSINSLOT -> sendToOwner(incoming, spec, "ERR Invalid slot");
      case CLUSTER_GETKEYSINSLOT ->
          sendToOwner(incoming, spec, "ERR Invalid slot or number of keys");
      default -> {
        List<Member> members = facade.members(local());
        give(incoming, spec, reply -> write(spec, which, command, members, reply));
      }
    }
  }

  private void setMode(CommandSpec spec, LocalCommand which, IncomingRequest incoming) {
    boolean accepted = proxy.facade() != null || context.reader().servers().isValkey(8, 0);
    if (accepted) {
      profile.readOnly(which == LocalCommand.READONLY);
    }
    give(
        incoming,
        spec,
        reply -> {
          if (accepted) {
            reply.status("OK");
          } else {
            reply.error(DISABLED);
          }
        });
  }

  private void give(IncomingRequest incoming, CommandSpec spec, Consumer<ReplyWriter> content) {
    Protocol protocol = client.protocol();
    LocalAnswer.send(incoming.begin(spec), protocol, content);
  }

  /** Returns the address that the client is connected to. */
  private Endpoint local() {
    return control.localAddress() instanceof InetSocketAddress address
        ? new Endpoint(address.getAddress().getHostAddress(), address.getPort())
        : new Endpoint("127.0.0.1", 1);
  }

  private void write(
      CommandSpec spec,
      LocalCommand which,
      Command command,
      List<Member> members,
      ReplyWriter reply) {
    FacadeView view = new FacadeView(members);
    switch (which) {
      case ASKING -> reply.status("OK");
      case CLUSTER_SLOTS -> view.slots(reply);
      case CLUSTER_SHARDS -> view.shards(reply);
      case CLUSTER_NODES -> reply.verbatim(view.nodes(System.currentTimeMillis()));
      case CLUSTER_INFO -> reply.verbatim(info(view));
      case CLUSTER_MYID -> reply.bulk(view.myself().id());
      case CLUSTER_MYSHARDID -> reply.bulk(view.myself().shardId());
      case CLUSTER_LINKS -> reply.array(0);
      case CLUSTER_KEYSLOT -> reply.integer(keySlot(command));
      case CLUSTER_COUNT_FAILURE_REPORTS ->
          ifKnown(command, members, reply, () -> reply.integer(0));
      case CLUSTER_REPLICAS, CLUSTER_SLAVES ->
          ifKnown(command, members, reply, () -> reply.array(0));
      case CLUSTER_HELP -> FacadeView.help(reply);
      case CLUSTER_OTHER -> reply.error("ERR " + spec.displayName() + CONFIGURED);
      default -> throw new IllegalStateException(which + " is answered elsewhere");
    }
  }

  private String info(FacadeView view) {
    Placement map = nodes.placement();
    int assigned = ShownSlots.covered(map);
    return view.info(assigned, Math.min(assigned, proxy.coveredSlots(map)));
  }

  private static int keySlot(Command command) {
    var frame = command.frame();
    return Slot.of(frame.buffer(), frame.offset(2), frame.length(2));
  }

  private static void ifKnown(
      Command command, List<Member> members, ReplyWriter reply, Runnable then) {
    String id = command.frame().text(2);
    Optional<Member> known = members.stream().filter(it -> it.id().equals(id)).findAny();
    if (known.isPresent()) {
      then.run();
    } else {
      reply.error("ERR Unknown node " + id);
    }
  }

  /** Sends the request to the slot's owner, which knows the keys in it. */
  private void sendToOwner(IncomingRequest incoming, CommandSpec spec, String outOfRange) {
    Command command = incoming.command();
    String error = slotError(spec, command, outOfRange);
    if (error != null) {
      give(incoming, spec, reply -> reply.error(error));
      return;
    }
    int slot = (int) command.argAsLong(2);
    ReplySlot request = incoming.begin(spec);
    Shard owner = nodes.placement().shardOf(slot);
    if (owner == null) {
      request.answer(ErrorReplies.NOT_SERVED, Outcome.UNAVAILABLE);
      return;
    }
    RequestFrame frame = command.frame();
    String bytes =
        frame
            .buffer()
            .toString(frame.start(), frame.end() - frame.start(), StandardCharsets.ISO_8859_1);
    NodeQuery.send(
        context, List.of(owner.master()), bytes, replies -> give(request, replies.getFirst()));
  }

  private @Nullable String slotError(CommandSpec spec, Command command, String outOfRange) {
    long slot = command.argAsLong(2);
    long count = command.argc() > 3 ? command.argAsLong(3) : 0;
    if (slot == Command.NOT_A_LONG || count == Command.NOT_A_LONG) {
      return NOT_AN_INTEGER;
    }
    if (slot < 0 || slot >= SlotMap.SLOTS || count < 0) {
      return outOfRange;
    }
    boolean hasSlots = nodes.placement().partitioner() == SlotPartitioner.INSTANCE;
    return hasSlots ? null : "ERR " + spec.displayName() + NO_SLOTS;
  }

  private static void give(ReplySlot request, @Nullable String reply) {
    if (reply == null) {
      request.answer(ErrorReplies.TIMEOUT_READ, Outcome.TIMEOUT);
      return;
    }
    ByteBuf bytes = ByteBufAllocator.DEFAULT.directBuffer(reply.length());
    bytes.writeCharSequence(reply, StandardCharsets.ISO_8859_1);
    request.deliverOwned(bytes, reply.startsWith("-") ? Outcome.ERROR : Outcome.OK);
  }
}
