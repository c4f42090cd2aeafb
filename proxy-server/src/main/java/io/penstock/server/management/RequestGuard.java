package io.penstock.server.management;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.util.UriUtils;

/**
 * The first to see a request, when its headers are there and nothing of its body was read. Refuses
 * what nothing would read, and what would leave no thread for probes. Called by Tomcat's threads.
 */
final class RequestGuard extends ValveBase {

  private static final Logger log = LoggerFactory.getLogger(RequestGuard.class);

  /** The longest body that an endpoint is given. */
  private static final int MOST_BODY = 64 * 1024;

  private final ManagementPaths endpoints;
  private final Rejections refusals;
  private final Connections connections;
  private volatile Semaphore others = new Semaphore(1);

  RequestGuard(ManagementPaths endpoints, Rejections refusals, Connections connections) {
    super(true);
    this.endpoints = endpoints;
    this.refusals = refusals;
    this.connections = connections;
  }

  /** So many requests that are no probes are answered at the same time; before the first. */
  void threadsForOthers(int most) {
    others = new Semaphore(most);
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    if (request.getRequestURI() == null || response.isErrorReportRequired()) {
      getNext().invoke(request, response); // Tomcat could not read it and says so
      return;
    }
    String path = request.getDecodedRequestURI();
    boolean body = hasBody(request);
    Rejection refusal = isPlain(request.getRequestURI(), path) ? null : Rejection.PATH;
    if (refusal == null && body) {
      refusal = refusedBody(request, path);
    }
    if (refusal != null) {
      refuse(refusal, request, response);
    } else if (!body && endpoints.isProbe(path)) {
      answer(request, response);
    } else {
      answerAmongOthers(request, response);
    }
  }

  private void answerAmongOthers(Request request, Response response)
      throws IOException, ServletException {
    Semaphore threads = others;
    if (!threads.tryAcquire()) {
      refuse(Rejection.BUSY, request, response);
      return;
    }
    try {
      answer(request, response);
    } finally {
      threads.release();
    }
  }

  /** Tomcat and Spring must agree on what a path means. */
  private static boolean isPlain(String raw, String path) {
    try {
      return UriUtils.decode(raw, StandardCharsets.UTF_8).equals(path);
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  private static boolean hasBody(Request request) {
    return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
  }

  private @Nullable Rejection refusedBody(Request request, String path) {
    if (!endpoints.readsBody(request.getMethod(), path)
        || request.getContentLengthLong() > MOST_BODY) {
      return Rejection.BODY;
    }
    return request.getContentLengthLong() < 0 ? Rejection.LENGTH : null;
  }

  private void answer(Request request, Response response) throws IOException, ServletException {
    String host = request.getRemoteAddr();
    int port = request.getRemotePort();
    connections.answers(host, port, () -> response.getBytesWritten(false));
    try {
      getNext().invoke(request, response);
      if (!request.isAsync()) {
        response.finishResponse(); // here, where the thread is accounted for
        dropRestOfBody(request);
      }
      tellFailure(request, response);
    } finally {
      connections.answered(host, port);
    }
  }

  private void tellFailure(Request request, Response response) {
    if (request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) instanceof Throwable failure) {
      log.debug("A request failed", failure);
      refusals.tell(Rejection.FAILED, request.getRemoteAddr());
    } else if (response.getStatus() == Rejection.METHOD.status()) {
      refusals.tell(Rejection.METHOD, request.getRemoteAddr());
    }
  }

  private void refuse(Rejection why, Request request, Response response) throws IOException {
    refusals.tell(why, request.getRemoteAddr());
    response.setStatus(why.status());
    dropRestOfBody(request);
    response.setContentType("text/plain;charset=UTF-8");
    response.getWriter().println(why.words());
  }

  /** The connection ends with the reply, and Tomcat does not wait for what was announced. */
  private static void dropRestOfBody(Request request) {
    if (hasBody(request)) {
      request.getCoyoteRequest().action(ActionCode.DISABLE_SWALLOW_INPUT, null);
    }
  }
}
