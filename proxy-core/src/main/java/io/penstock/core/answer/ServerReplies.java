package io.penstock.core.answer;

import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.Nodes;
import io.penstock.core.client.RequestReader;
import io.penstock.core.command.Command;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.directory.BlockingKeyCount;
import io.penstock.core.directory.ClientDirectory;
import io.penstock.core.directory.NodeQuery;
import io.penstock.core.info.BlockingKeys;
import io.penstock.core.info.InfoFigures;
import io.penstock.core.info.InfoReport;
import io.penstock.core.info.InfoSection;
import io.penstock.core.info.NodeInfo;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.LocalCommand;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Shard;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Answers the commands about the server: {@code INFO}, {@code CONFIG GET} and {@code ROLE}. */
public final class ServerReplies {

  private static final String INFO_DEFAULT = "*1\r\n$4\r\nINFO\r\n";
  private static final String INFO_KEYSPACE = "*2\r\n$4\r\nINFO\r\n$8\r\nkeyspace\r\n";

  /** The results from all loops. */
  private record Counted(BlockingKeys blocking, ProxyStats stats) {}

  private final ClientContext context;
  private final Client client;
  private final Nodes nodes;
  private final RequestReader reader;
  private final SessionControl control;
  private final AnswerLoop answerLoop;
  private final ConfigGet config;

  public ServerReplies(AnswerContext parts) {
    this.context = parts.context();
    this.client = context.client();
    this.nodes = context.nodes();
    this.reader = context.reader();
    this.control = parts.control();
    this.answerLoop = parts.answerLoop();
    this.config = new ConfigGet(parts);
  }

  /** Answers the request; {@code spec} is the spec of its command. */
  public void answer(CommandSpec spec, LocalCommand which, IncomingRequest incoming) {
    Command command = incoming.command();
    ReplySlot request = incoming.begin(spec);
    Protocol protocol = client.protocol();
    switch (which) {
      case INFO -> info(request, sections(command), protocol);
      case CONFIG_GET -> config.answer(request, command);
      case ROLE -> LocalAnswer.send(request, protocol, ServerReplies::role);
      default -> throw new IllegalStateException(which + " is answered elsewhere");
    }
  }

  /** Writes a master without replicas. */
  private static void role(ReplyWriter reply) {
    reply.array(3);
    reply.bulk("master");
    reply.integer(0);
    reply.array(0);
  }

  private static Set<InfoSection> sections(Command command) {
    List<String> words = new ArrayList<>();
    for (int i = 1; i < command.argc(); i++) {
      words.add(command.frame().text(i));
    }
    return InfoSection.named(words);
  }

  /** Queries the masters, then all loops, and writes the report. */
  private void info(ReplySlot request, Set<InfoSection> sections, Protocol protocol) {
    Placement map = nodes.placement();
    boolean counters = sections.contains(InfoSection.STATS);
    boolean keys = sections.contains(InfoSection.KEYSPACE);
    List<Endpoint> masters =
        counters || keys ? map.shards().stream().map(Shard::master).toList() : List.of();
    NodeQuery.send(
        context,
        masters,
        counters ? INFO_DEFAULT : INFO_KEYSPACE,
        texts -> {
          NodeInfo all = NodeInfo.sum(texts);
          NodeInfo nodes =
              answerLoop.proxy().facade() == null
                  ? all
                  : all.onlyDatabase(answerLoop.access().database());
          LocalAnswer.whenComplete(
              blocking(sections).thenCombine(stats(), Counted::new), // on any loop
              context,
              counted -> {
                InfoFigures figures = figures(map, nodes, counted);
                String text = InfoReport.write(sections, figures, Instant.now());
                LocalAnswer.send(request, protocol, reply -> reply.verbatim(text));
              });
        });
  }

  private CompletionStage<BlockingKeys> blocking(Set<InfoSection> sections) {
    return sections.contains(InfoSection.CLIENTS)
        ? blockingKeys()
        : CompletableFuture.completedStage(BlockingKeys.NONE);
  }

  private CompletionStage<ProxyStats> stats() {
    return answerLoop
        .proxy()
        .stats()
        .thenApply(now -> now.since(answerLoop.directory().statsAtReset()));
  }

  /** Counts the keys on all loops; completes on one of them. */
  private CompletionStage<BlockingKeys> blockingKeys() {
    var count = new BlockingKeyCount();
    return answerLoop
        .directory()
        .onEachClient(client -> client.addBlockingKeys(count))
        .thenApply(_ -> count.result());
  }

  /** {@code CONFIG RESETSTAT} was sent: {@code INFO} counts from now on. */
  public void reset() {
    ClientDirectory directory = answerLoop.directory();
    LocalAnswer.whenComplete(
        answerLoop
            .proxy()
            .stats()
            .thenAccept(directory::resetStats), // before any later INFO reads the statistics
        context,
        _ -> {});
  }

  private InfoFigures figures(Placement map, NodeInfo nodes, Counted counted) {
    ServerFacts servers = reader.servers();
    int port = control.localAddress() instanceof InetSocketAddress own ? own.getPort() : 0;
    return new InfoFigures(
        answerLoop.proxy().facts(),
        servers.version().toString(),
        servers.valkey() == null ? null : servers.valkey().toString(),
        port,
        counted.stats(),
        counted.blocking(),
        nodes,
        map,
        answerLoop.proxy().coveredSlots(map),
        answerLoop.proxy().topologyAsOf());
  }
}
