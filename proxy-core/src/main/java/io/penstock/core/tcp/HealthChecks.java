package io.penstock.core.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.netty.util.ReferenceCountUtil;
import io.penstock.core.control.Outage;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.upstream.Endpoint;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The active health checks of a TCP upstream, on the first event loop. Each check is a connection
 * of its own, with TLS and the PROXY protocol's header as those of clients. Confined to that loop,
 * except for {@link #start}, {@link #stop} and {@link #probe}.
 */
public final class HealthChecks {

  private static final int MOST_BYTES = 4096;

  private final LoopGroup group;
  private final Loop loop;
  private final TcpServers servers;
  private final Map<Peer, Row> rows = new HashMap<>();
  private @Nullable Future<?> timer;
  private @Nullable TcpSettings running;

  public HealthChecks(LoopGroup group, TcpServers servers) {
    this.group = group;
    this.loop = group.loops().getFirst();
    this.servers = servers;
  }

  /** Results in a row. */
  private static final class Row {
    int fails;
    int passes;
    boolean checking;
  }

  /** Follows the settings in force: starts, changes or stops the checks. Any thread. */
  public void start() {
    loop.executor()
        .execute(() -> {
          cancel();
          TcpSettings settings = servers.settings();
          TcpSettings.Check check = settings.check();
          running = settings;
          if (check == null) {
            servers.usable().forEach(servers::healthy);
            return;
          }
          timer =
              loop.executor()
                  .scheduleAtFixedRate(
                      () -> checkAll(settings, check),
                      0,
                      check.interval().toNanos(),
                      TimeUnit.NANOSECONDS);
        });
  }

  /** Stops the checks. Any thread. */
  public void stop() {
    loop.executor().execute(this::cancel);
  }

  private void cancel() {
    running = null;
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }

  private void checkAll(TcpSettings settings, TcpSettings.Check check) {
    rows.keySet().removeIf(peer -> !servers.has(peer));
    servers
        .usable()
        .forEach(peer -> {
          Row row = rows.computeIfAbsent(peer, _ -> new Row());
          if (!row.checking) {
            row.checking = true;
            probe(peer.address(), settings)
                .whenComplete((reason, _) -> onChecked(peer, row, reason, settings, check));
          }
        });
  }

  private void onChecked(
      Peer peer, Row row, @Nullable String reason, TcpSettings of, TcpSettings.Check check) {
    row.checking = false;
    if (running != of) {
      return;
    }
    row.passes = reason == null ? row.passes + 1 : 0;
    row.fails = reason == null ? 0 : row.fails + 1;
    if (reason != null && row.fails >= check.fails()) {
      servers.unhealthy(peer, reason);
    } else if (reason == null && row.passes >= check.passes()) {
      servers.healthy(peer);
    }
  }

  /**
   * Checks a server once. Any thread.
   *
   * @return completes on the loop with why it failed, or null
   */
  public CompletableFuture<@Nullable String> probe(Endpoint address, TcpSettings settings) {
    var result = new CompletableFuture<@Nullable String>();
    loop.executor()
        .execute(() -> {
          var probe = new Probe(result, settings);
          HAProxyProtocolVersion version = settings.transport().proxyProtocol();
          ByteBuf header = version == null ? null : ClientHeader.of(version, null, null);
          ChannelFuture connecting =
              TcpClients.connect(
                  group,
                  loop,
                  settings,
                  address,
                  new ServerPipeline(address, settings, header, probe));
          connecting.addListener(done -> {
            if (!done.isSuccess()) {
              probe.failed(Outage.reason(done.cause()));
            }
          });
          Future<?> timeout =
              loop.executor()
                  .schedule(
                      () -> probe.timedOut(connecting.channel()),
                      timeout(settings).toNanos(),
                      TimeUnit.NANOSECONDS);
          result.whenComplete((_, _) -> timeout.cancel(false));
        });
    return result;
  }

  private static Duration timeout(TcpSettings settings) {
    TcpSettings.Check check = settings.check();
    return check == null ? settings.connect().timeout() : check.timeout();
  }

  /** One check. */
  private static final class Probe implements ServerPipeline.Outcome {

    private final CompletableFuture<@Nullable String> result;
    private final String send;
    private final String expect;

    Probe(CompletableFuture<@Nullable String> result, TcpSettings settings) {
      TcpSettings.Check check = settings.check();
      this.result = result;
      this.send = check == null ? "" : check.send();
      this.expect = check == null ? "" : check.expect();
    }

    @Override
    public ChannelHandler connected(Channel server) {
      server
          .eventLoop()
          .execute(() -> {
            if (!send.isEmpty()) {
              server.writeAndFlush(Unpooled.copiedBuffer(send, StandardCharsets.UTF_8));
            }
            if (expect.isEmpty()) {
              end(server, null);
            }
          });
      return new Answer();
    }

    private void end(Channel server, @Nullable String reason) {
      result.complete(reason);
      server.close();
    }

    @Override
    public void failed(String reason) {
      result.complete(reason);
    }

    void timedOut(Channel server) {
      end(server, "it does not answer in time");
    }

    /** Waits for the expected answer. */
    private final class Answer extends ChannelInboundHandlerAdapter {

      private final StringBuilder text = new StringBuilder();

      @Override
      public void channelRead(ChannelHandlerContext context, Object message) {
        text.append(((ByteBuf) message).toString(StandardCharsets.ISO_8859_1));
        ReferenceCountUtil.release(message);
        if (text.indexOf(expect) >= 0) {
          end(context.channel(), null);
        } else if (text.length() > MOST_BYTES) {
          end(context.channel(), "its answer is another one");
        }
      }

      @Override
      public void channelInactive(ChannelHandlerContext context) {
        result.complete("it closed the connection before it answered");
      }

      @Override
      public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
          end(context.channel(), "it closed the connection before it answered");
        }
      }

      @Override
      public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        end(context.channel(), Outage.reason(cause));
      }
    }
  }
}
