package io.penstock.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.penstock.core.answer.Passwords;
import io.penstock.core.answer.ProxyView;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.client.Nodes;
import io.penstock.core.cluster.SlotPartitioner;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.crossslot.CrossSlotSettings;
import io.penstock.core.directory.ClientDirectory;
import io.penstock.core.dispatch.AsyncDispatcher;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.SubscriberCounts;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.route.Router;
import io.penstock.core.script.Scripts;
import io.penstock.core.session.ServedUpstream;
import io.penstock.core.session.Session;
import io.penstock.core.session.SessionLoop;
import io.penstock.core.session.SessionSettings;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.tls.CertificateUsers;
import io.penstock.core.topology.StaticTopology;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.Topology;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The room {@code session}: a request takes its place, its reply comes, and what may go out is
 * written. One turn of the loop each, up to the channel: a handler stands in for the socket.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class SequenceBenchmark {

  private static final int BATCH = 16;

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final Socket socket = new Socket();
  private final Session session = session(channel, socket);
  private final CommandSpec get = CommandTable.load().byName("get");
  private final ByteBuf reply = Wire.buffer(Wire.bulk("x".repeat(30)));
  private final ReplySlot[] inFlight = new ReplySlot[BATCH];

  private static Session session(EmbeddedChannel channel, Socket socket) {
    Loop loop = Loop.over(channel.eventLoop());
    Topology topology = new StaticTopology(new Endpoint("127.0.0.1", 6379));
    Duration timeout = Duration.ofSeconds(2);
    var backend =
        new BackendSettings(
            timeout,
            timeout,
            1,
            1,
            1,
            65_536,
            QueueLimits.DEFAULTS,
            ReadSettings.MASTER_ONLY,
            Label.ONLY);
    var group = new LoopGroup(Transport.NIO, 1); // its threads are never started
    var dispatcher = new AsyncDispatcher(group, loop, backend, topology, ProxyEvents.NONE);
    var hub = new Hub(group, loop, backend, topology, ProxyEvents.NONE, new SubscriberCounts());
    var settings =
        new SessionSettings(
            Passwords.NONE,
            CertificateUsers.NONE,
            null,
            Frames.LIMITS,
            ClientLimits.DEFAULTS,
            CrossSlotSettings.REJECT,
            ProxyView.UNKNOWN);
    var upstream =
        new ServedUpstream(
            Label.ONLY,
            new Nodes.Timeouts(timeout.toNanos(), timeout.toNanos(), Long.MAX_VALUE),
            0,
            new Scripts());
    var directory = new ClientDirectory();
    var facts = ServerFacts.initial(CommandTable.load());
    var sessions =
        new SessionLoop(
            loop,
            settings,
            facts,
            new SessionLoop.Routing(
                new Router(SlotPartitioner.INSTANCE), dispatcher, hub, topology, upstream),
            directory);
    channel.pipeline().addLast(socket, new ChannelInboundHandlerAdapter());
    return new Session(sessions, channel.pipeline().lastContext());
  }

  /** Releases everything that is written. */
  private static final class Socket extends ChannelOutboundHandlerAdapter {

    private long bytes;

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      bytes += ((ByteBuf) message).readableBytes();
      ReferenceCountUtil.release(message);
    }

    @Override
    public void flush(ChannelHandlerContext context) {}
  }

  /** One request, one reply. */
  @Benchmark
  public long one() {
    begin(1);
    answer(0);
    return turn();
  }

  /** Replies arrive in the order of the requests. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public long inOrder16() {
    begin(BATCH);
    for (int i = 0; i < BATCH; i++) {
      answer(i);
    }
    return turn();
  }

  /** Replies come from three nodes, each in order: what a pipeline through a cluster looks like. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public long interleaved16() {
    begin(BATCH);
    for (int node = 2; node >= 0; node--) {
      for (int i = node; i < BATCH; i += 3) {
        answer(i);
      }
    }
    return turn();
  }

  /** The worst case: all replies but one wait for an earlier one. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public long reversed16() {
    begin(BATCH);
    for (int i = BATCH - 1; i >= 0; i--) {
      answer(i);
    }
    return turn();
  }

  private void begin(int requests) {
    for (int i = 0; i < requests; i++) {
      inFlight[i] = session.reserve(get);
    }
  }

  private void answer(int i) {
    inFlight[i].deliver(reply, 0, reply.writerIndex(), Outcome.OK);
  }

  /** Ends the turn and returns how many bytes were written to the socket so far. */
  private long turn() {
    channel.runPendingTasks();
    return socket.bytes;
  }
}
