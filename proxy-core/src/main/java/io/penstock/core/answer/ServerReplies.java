package io.penstock.core.answer;

import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.Nodes;
import io.penstock.core.client.RequestReader;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.LocalCommand;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.info.BlockingKeys;
import io.penstock.core.info.InfoFigures;
import io.penstock.core.info.InfoReport;
import io.penstock.core.info.InfoSection;
import io.penstock.core.info.NodeInfo;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
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

/** Penstock as the server that its clients take it for. */
public final class ServerReplies {

  private static final String ASK_ALL = "*1\r\n$4\r\nINFO\r\n";
  private static final String ASK_KEYSPACE = "*2\r\n$4\r\nINFO\r\n$8\r\nkeyspace\r\n";

  /** What all loops were asked for. */
  private record Counted(BlockingKeys blocking, ProxyStats stats) {}

  private final ClientContext context;
  private final Client client;
  private final Nodes nodes;
  private final RequestReader reader;
  private final SessionControl control;
  private final AnswerLoop site;
  private final ConfigGet config;

  public ServerReplies(AnswerContext made) {
    this.context = made.context();
    this.client = context.client();
    this.nodes = context.nodes();
    this.reader = context.reader();
    this.control = made.control();
    this.site = made.answerLoop();
    this.config = new ConfigGet(made);
  }

  /** Answers the request; {@code spec} is that of its command. */
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

  /** A master without replicas. */
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

  /** Asks the masters for what only they know, then all loops, and writes it down. */
  private void info(ReplySlot request, Set<InfoSection> sections, Protocol protocol) {
    Placement map = nodes.placement();
    boolean counters = sections.contains(InfoSection.STATS);
    boolean keys = sections.contains(InfoSection.KEYSPACE);
    List<Endpoint> asked =
        counters || keys ? map.shards().stream().map(Shard::master).toList() : List.of();
    NodeQuery.send(
        context,
        asked,
        counters ? ASK_ALL : ASK_KEYSPACE,
        texts -> {
          NodeInfo nodes = NodeInfo.sum(texts).onlyDatabase(site.access().database());
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
    return site.proxy().stats().thenApply(now -> now.since(site.directory().statsAtReset()));
  }

  /** Asks all loops; completes on one of them. */
  private CompletionStage<BlockingKeys> blockingKeys() {
    var count = new BlockingKeyCount();
    return site.directory()
        .onEachClient(client -> client.addBlockingKeys(count))
        .thenApply(_ -> count.result());
  }

  /** {@code CONFIG RESETSTAT} is on its way: INFO counts from here on. */
  public void reset() {
    ClientDirectory directory = site.directory();
    LocalAnswer.whenComplete(
        site.proxy()
            .stats()
            .thenAccept(directory::resetStats), // before any later INFO has its figures
        context,
        _ -> {});
  }

  private InfoFigures figures(Placement map, NodeInfo nodes, Counted counted) {
    ServerFacts servers = reader.servers();
    int port = control.localAddress() instanceof InetSocketAddress own ? own.getPort() : 0;
    return new InfoFigures(
        site.proxy().facts(),
        servers.version().toString(),
        servers.valkey() == null ? null : servers.valkey().toString(),
        port,
        counted.stats(),
        counted.blocking(),
        nodes,
        map,
        site.proxy().coveredSlots(map),
        site.proxy().topologyAsOf());
  }
}
