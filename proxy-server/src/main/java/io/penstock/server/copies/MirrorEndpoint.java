package io.penstock.server.copies;

import io.penstock.core.Proxy;
import io.penstock.core.assembly.RespUpstream;
import io.penstock.core.observe.CopyJobStatus;
import io.penstock.core.observe.MirrorStats;
import io.penstock.core.resync.CopyJobs;
import io.penstock.core.resync.JobRefusedException;
import io.penstock.server.management.UrlParameters;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * {@code GET /actuator/mirror}: the copies of all upstreams. {@code POST
 * /actuator/mirror/UPSTREAM/COPY/resync} brings a copy level, {@code compare} compares it with its
 * primary, and {@code stop} stops either. On the threads of the management port; they return when
 * it has begun.
 */
@WebEndpoint(id = "mirror")
final class MirrorEndpoint {

  private static final long WAIT_SECONDS = 10;

  private static final String RATE = "keys-per-second";
  private static final String ANEW = "anew";
  private static final String SAMPLE = "sample";
  private static final String REPAIR = "repair";

  /** The operations, and the parameters that each may have. */
  private static final Map<String, Set<String>> PARAMETERS =
      Map.of(
          "resync", Set.of(RATE, ANEW),
          "compare", Set.of(RATE, SAMPLE, REPAIR),
          "stop", Set.of());

  private final Proxy proxy;

  MirrorEndpoint(Proxy proxy) {
    this.proxy = proxy;
  }

  /** The response body. */
  record View(List<CopyView> copies) {}

  /**
   * One copy.
   *
   * @param queued effects that wait or are in flight now
   * @param behindSince null if the copy is level
   * @param jobs the last resync and the last comparison since the start
   */
  record CopyView(
      String upstream,
      String copy,
      long queued,
      @Nullable Instant behindSince,
      @Nullable String behindReason,
      List<JobView> jobs) {}

  /** Why it was not done. */
  record RefusedView(String reason) {}

  /** Returns all copies. */
  @ReadOperation
  View view() {
    List<CopyView> all = new ArrayList<>();
    upstreams()
        .forEach(upstream -> {
          Map<String, CopyJobs> jobs = upstream.copyJobs();
          for (MirrorStats.Copy copy : upstream.mirrorStats().copies()) {
            all.add(view(upstream.name(), copy, jobs.get(copy.name())));
          }
        });
    return new View(all);
  }

  /** Returns one copy; 404 if there is none. */
  @ReadOperation
  WebEndpointResponse<?> view(@Selector String upstream, @Selector String copy) {
    return view().copies().stream()
        .filter(each -> each.upstream().equals(upstream) && each.copy().equals(copy))
        .findFirst()
        .<WebEndpointResponse<?>>map(WebEndpointResponse::new)
        .orElseGet(() -> refused(unknown(upstream, copy), 404));
  }

  private static CopyView view(String upstream, MirrorStats.Copy copy, @Nullable CopyJobs jobs) {
    return new CopyView(
        upstream,
        copy.name(),
        copy.queued(),
        copy.behindSince(),
        copy.behindReason(),
        jobs == null ? List.of() : jobs.status().stream().map(JobView::of).toList());
  }

  private Stream<RespUpstream> upstreams() {
    return proxy.upstreams().stream()
        .filter(RespUpstream.class::isInstance)
        .map(RespUpstream.class::cast)
        .filter(RespUpstream::hasCopies);
  }

  private String unknown(String upstream, String copy) {
    return upstreams()
        .filter(each -> each.name().equals(upstream))
        .findFirst()
        .map(each ->
            "upstream %s has no copy %s: its copies are %s"
                .formatted(upstream, copy, String.join(", ", each.copyJobs().keySet())))
        .orElseGet(() -> "no upstream " + upstream + " with copies");
  }

  /**
   * Begins or stops a job: 200 with how it stands, 400 if a parameter is not valid, 404 if there is
   * no such copy or operation, 409 if the copy has a job that runs, or none to stop.
   *
   * <p>They are requests without a body: the parameters are those of the URL.
   */
  @WriteOperation
  WebEndpointResponse<?> operate(
      @Selector String upstream, @Selector String copy, @Selector String operation) {
    Set<String> known = PARAMETERS.get(operation);
    if (known == null) {
      return refused("the operations are resync, compare and stop", 404);
    }
    CopyJobs jobs =
        upstreams()
            .filter(each -> each.name().equals(upstream))
            .map(each -> each.copyJobs().get(copy))
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null);
    if (jobs == null) {
      return refused(unknown(upstream, copy), 404);
    }
    try {
      return answer(begin(jobs, operation, UrlParameters.of(known)));
    } catch (IllegalArgumentException e) {
      return refused(String.valueOf(e.getMessage()), WebEndpointResponse.STATUS_BAD_REQUEST);
    }
  }

  private static CompletableFuture<CopyJobStatus> begin(
      CopyJobs jobs, String operation, Map<String, String> parameters) {
    int rate =
        (int) number(parameters, RATE, CopyJobs.KEYS_PER_SECOND, CopyJobs.MOST_KEYS_PER_SECOND);
    return switch (operation) {
      case "resync" -> jobs.resync(rate, isTrue(parameters, ANEW));
      case "compare" ->
          jobs.compare(
              rate, number(parameters, SAMPLE, 0, Integer.MAX_VALUE), isTrue(parameters, REPAIR));
      default -> jobs.stop();
    };
  }

  private static long number(
      Map<String, String> parameters, String name, long otherwise, long most) {
    String text = parameters.get(name);
    if (text == null) {
      return otherwise;
    }
    if (!text.matches("[1-9]\\d{0,9}") || Long.parseLong(text) > most) {
      throw new IllegalArgumentException("%s must be a number from 1 to %d".formatted(name, most));
    }
    return Long.parseLong(text);
  }

  private static boolean isTrue(Map<String, String> parameters, String name) {
    String text = parameters.getOrDefault(name, "false");
    if (!text.equals("true") && !text.equals("false")) {
      throw new IllegalArgumentException(name + " must be true or false");
    }
    return text.equals("true");
  }

  private static WebEndpointResponse<?> answer(CompletableFuture<CopyJobStatus> begun) {
    try {
      return new WebEndpointResponse<>(JobView.of(begun.get(WAIT_SECONDS, TimeUnit.SECONDS)));
    } catch (ExecutionException e) {
      return e.getCause() instanceof JobRefusedException refused
          ? refused(String.valueOf(refused.getMessage()), 409)
          : new WebEndpointResponse<>(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
    } catch (TimeoutException e) {
      return new WebEndpointResponse<>(202);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new WebEndpointResponse<>(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
    }
  }

  private static WebEndpointResponse<?> refused(String why, int status) {
    return new WebEndpointResponse<>(new RefusedView(why), status);
  }
}
