package io.penstock.server.reload;

import io.penstock.core.ChangePlan.Step;
import io.penstock.core.Proxy;
import io.penstock.core.ProxyListener;
import io.penstock.core.ProxyUpstream;
import io.penstock.server.change.ReloadOutcome;
import io.penstock.server.reload.ConfigurationInForce.Snapshot;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * {@code GET /actuator/penstock}: the configuration in force, without secrets. {@code POST
 * /actuator/penstock/reload}: reads it again. On the threads of the management port, which wait for
 * a reload.
 */
@WebEndpoint(id = "penstock")
final class PenstockEndpoint {

  /** The management port ends a connection whose reply takes longer than 30 seconds. */
  private static final long WAIT_SECONDS = 25;

  private static final String RELOAD = "reload";

  private final Proxy proxy;
  private final ConfigurationInForce inForce;
  private final ReloadThread reloads;

  PenstockEndpoint(Proxy proxy, ConfigurationInForce inForce, ReloadThread reloads) {
    this.proxy = proxy;
    this.inForce = inForce;
    this.reloads = reloads;
  }

  /**
   * The response body.
   *
   * @param version 1 at the start, and one more for each change that was applied
   * @param since when it was applied
   * @param readFrom files and folders, the one that wins first
   * @param configuration the keys below {@code penstock}
   * @param restartPending keys whose values in the files are in force only after a restart
   * @param lastReload null if there was none
   */
  record View(
      int version,
      Instant since,
      List<String> readFrom,
      List<ListenerView> listeners,
      List<UpstreamView> upstreams,
      Map<String, Object> configuration,
      List<String> restartPending,
      @Nullable ReloadView lastReload) {}

  /** One listener, and the addresses or the Unix socket that clients connect to. */
  record ListenerView(String name, List<String> addresses, String upstream, boolean listening) {}

  /** One upstream that a listener serves. */
  record UpstreamView(String name, String servers) {}

  /**
   * One reload.
   *
   * @param outcome {@code applied}, {@code unchanged} or {@code refused}
   * @param reason why it was refused
   * @param plan what was changed, or would have been
   */
  record ReloadView(
      Instant at, String trigger, String outcome, @Nullable String reason, List<StepView> plan) {

    static ReloadView of(Attempt attempt) {
      return new ReloadView(
          attempt.at(),
          attempt.trigger().text(),
          attempt.outcome().text(),
          attempt.reason(),
          attempt.plan().stream().map(StepView::of).toList());
    }
  }

  /**
   * One step of a plan.
   *
   * @param action {@code add}, {@code change}, {@code drain} or {@code restart}
   * @param what differs; empty if the subject is new or goes away
   */
  record StepView(String action, String subject, String what) {

    static StepView of(Step step) {
      return new StepView(
          step.action().name().toLowerCase(Locale.ROOT), step.subject(), step.what());
    }
  }

  /** Returns what is in force. */
  @ReadOperation
  View view() {
    Snapshot now = inForce.current();
    return new View(
        now.version(),
        now.since(),
        now.readFrom(),
        proxy.listeners().stream().map(PenstockEndpoint::view).toList(),
        proxy.upstreams().stream().map(PenstockEndpoint::view).toList(),
        ConfigurationTree.of(now.configuration().properties(), inForce.atStart().properties()),
        now.pending(),
        now.lastAttempt() == null ? null : ReloadView.of(now.lastAttempt()));
  }

  private static ListenerView view(ProxyListener listener) {
    return new ListenerView(
        listener.name(),
        listener.addresses().isEmpty()
            ? List.of(listener.listenAddress().toString())
            : listener.addresses().stream().map(PenstockEndpoint::text).toList(),
        listener.upstream().name(),
        listener.isListening());
  }

  private static String text(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
  }

  private static UpstreamView view(ProxyUpstream upstream) {
    return new UpstreamView(upstream.name(), upstream.description());
  }

  /**
   * Reads the configuration again and waits for the end: 200 with what was done, 409 if the
   * configuration cannot be used, 202 if it takes long; 404 for another operation.
   */
  @WriteOperation
  WebEndpointResponse<?> operate(@Selector String operation) {
    if (!operation.equals(RELOAD)) {
      return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
    }
    try {
      Attempt attempt =
          reloads
              .request(Trigger.REQUEST)
              .toCompletableFuture()
              .get(WAIT_SECONDS, TimeUnit.SECONDS);
      return new WebEndpointResponse<>(
          ReloadView.of(attempt), attempt.outcome() == ReloadOutcome.REFUSED ? 409 : 200);
    } catch (TimeoutException e) {
      return new WebEndpointResponse<>(202);
    } catch (ExecutionException e) {
      return new WebEndpointResponse<>(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new WebEndpointResponse<>(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
    }
  }
}
