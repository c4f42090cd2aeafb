package io.penstock.server.reload;

import io.penstock.core.NoSuchListenerException;
import io.penstock.core.Proxy;
import io.penstock.core.assembly.ProxyListener;
import io.penstock.core.assembly.ProxyUpstream;
import io.penstock.core.change.ChangePlan.Step;
import io.penstock.core.listener.CannotBindException;
import io.penstock.server.change.ReloadOutcome;
import io.penstock.server.management.UrlParameters;
import io.penstock.server.reload.ConfigurationInForce.Snapshot;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * {@code GET /actuator/penstock}: the configuration in force, without secrets. {@code POST
 * /actuator/penstock/reload} reads it again, {@code drain} and {@code resume} take listeners out of
 * service and back, and {@code kill} closes clients. On the threads of the management port, which
 * wait for the end.
 */
@WebEndpoint(id = "penstock")
final class PenstockEndpoint {

  /** The management port ends a connection whose reply takes longer than 30 seconds. */
  private static final long WAIT_SECONDS = 25;

  private static final String LISTENER = "listener";

  /** The operations, and the parameters that each may have. */
  private static final Map<String, Set<String>> PARAMETERS =
      Map.of(
          "reload",
          Set.of(),
          "drain",
          Set.of(LISTENER),
          "resume",
          Set.of(LISTENER),
          "kill",
          Set.of(LISTENER, "id", "addr", "laddr", "user", "type", "maxage"));

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
   * @param hash of the configuration, without secrets; the same on all instances that follow it
   * @param since when it was applied
   * @param readFrom files and folders, the one that wins first
   * @param configuration the keys below {@code penstock}
   * @param restartPending keys whose values in the files are in force only after a restart
   * @param lastReload null if there was none
   */
  record View(
      int version,
      String hash,
      Instant since,
      List<String> readFrom,
      List<ListenerView> listeners,
      List<UpstreamView> upstreams,
      Map<String, Object> configuration,
      List<String> restartPending,
      @Nullable ReloadView lastReload) {}

  /**
   * One listener.
   *
   * @param addresses or the Unix socket that clients connect to
   * @param listening false after {@code drain}, or if the file of its Unix socket is gone
   * @param clients number of connected clients
   */
  record ListenerView(
      String name, List<String> addresses, String upstream, boolean listening, int clients) {}

  /** The listeners that {@code drain} or {@code resume} concerned. */
  record ListenersView(List<ListenerView> listeners) {}

  /** The number of clients that were closed. */
  record KillView(int killed) {}

  /** Why it was not done. */
  record RefusedView(String reason) {}

  /**
   * One upstream in use.
   *
   * @param copies null without any
   */
  record UpstreamView(String name, String servers, @Nullable CopiesView copies) {}

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
        inForce.hashText(),
        now.since(),
        now.readFrom(),
        proxy.listeners().stream().map(PenstockEndpoint::view).toList(),
        proxy.upstreams().stream().map(this::view).toList(),
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
        listener.isListening(),
        listener.clients());
  }

  private static String text(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
  }

  private UpstreamView view(ProxyUpstream upstream) {
    return new UpstreamView(
        upstream.name(),
        upstream.description(),
        CopiesView.of(upstream, proxy.settings().mirrorOf(upstream.name())));
  }

  /**
   * Does one operation and waits for its end. {@code reload}: 200 with what was done, 409 if the
   * configuration cannot be used. {@code drain}, {@code resume} and {@code kill}: 200 with what was
   * done, 400 if a listener or an option is not valid, 409 if a listener cannot be bound (the
   * others are then). 202 if it takes long; 404 for another operation.
   *
   * <p>They are requests without a body, as those of {@code reload}: the parameters are those of
   * the URL. {@code listener} is the only one that is concerned; the others are options of {@code
   * kill}, as of {@code CLIENT KILL}.
   */
  @WriteOperation
  WebEndpointResponse<?> operate(@Selector String operation) {
    Set<String> known = PARAMETERS.get(operation);
    if (known == null) {
      return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
    }
    try {
      Map<String, String> options = UrlParameters.of(known);
      String listener = options.remove(LISTENER);
      return switch (operation) {
        case "drain" -> answer(proxy.suspend(listener), PenstockEndpoint::concerned);
        case "resume" -> answer(proxy.resume(listener), PenstockEndpoint::concerned);
        case "kill" -> answer(proxy.kill(listener, options), PenstockEndpoint::killed);
        default -> answer(reloads.request(Trigger.REQUEST), PenstockEndpoint::reloaded);
      };
    } catch (IllegalArgumentException e) {
      return refused(e, WebEndpointResponse.STATUS_BAD_REQUEST);
    }
  }

  private static WebEndpointResponse<?> reloaded(Attempt attempt) {
    return new WebEndpointResponse<>(
        ReloadView.of(attempt), attempt.outcome() == ReloadOutcome.REFUSED ? 409 : 200);
  }

  private static WebEndpointResponse<?> concerned(List<ProxyListener> listeners) {
    return new WebEndpointResponse<>(
        new ListenersView(listeners.stream().map(PenstockEndpoint::view).toList()));
  }

  private static WebEndpointResponse<?> killed(int clients) {
    return new WebEndpointResponse<>(new KillView(clients));
  }

  private static <T> WebEndpointResponse<?> answer(
      CompletionStage<T> result, Function<T, WebEndpointResponse<?>> view) {
    try {
      return view.apply(result.toCompletableFuture().get(WAIT_SECONDS, TimeUnit.SECONDS));
    } catch (TimeoutException e) {
      return new WebEndpointResponse<>(202);
    } catch (ExecutionException e) {
      return switch (Objects.requireNonNullElse(e.getCause(), e)) {
        case NoSuchListenerException unknown ->
            refused(unknown, WebEndpointResponse.STATUS_BAD_REQUEST);
        case CannotBindException failure -> refused(failure, 409);
        default -> new WebEndpointResponse<>(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
      };
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new WebEndpointResponse<>(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
    }
  }

  private static WebEndpointResponse<?> refused(Exception why, int status) {
    return new WebEndpointResponse<>(new RefusedView(String.valueOf(why.getMessage())), status);
  }
}
