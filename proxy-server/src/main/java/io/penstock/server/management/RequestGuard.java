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
 * The first valve: runs when the headers of a request have arrived and nothing of its body is read.
 * Rejects bodies that no endpoint reads, requests that must not change anything, and those that
 * would leave no thread for probes. Called on Tomcat's threads.
 */
final class RequestGuard extends ValveBase {

  private static final Logger log = LoggerFactory.getLogger(RequestGuard.class);

  /** The largest request body that an endpoint reads, in bytes. */
  private static final int MAX_BODY = 64 * 1024;

  private final ManagementPaths paths;
  private final Rejections rejections;
  private final Connections connections;
  private final ManagementAccess access;
  private volatile Semaphore otherRequests = new Semaphore(1);

  RequestGuard(
      ManagementPaths paths,
      Rejections rejections,
      Connections connections,
      ManagementAccess access) {
    super(true);
    this.access = access;
    this.paths = paths;
    this.rejections = rejections;
    this.connections = connections;
  }

  /** Sets how many requests other than probes run concurrently. Call before the first request. */
  void limitOtherRequests(int max) {
    otherRequests = new Semaphore(max);
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    if (request.getRequestURI() == null || response.isErrorReportRequired()) {
      getNext().invoke(request, response); // Tomcat could not parse it and answers with an error
      return;
    }
    String path = request.getDecodedRequestURI();
    boolean body = hasBody(request);
    Rejection rejection =
        isPlain(request.getRequestURI(), path) ? access.check(request) : Rejection.PATH;
    if (rejection == null && body) {
      rejection = bodyRejection(request, path);
    }
    if (rejection != null) {
      reject(rejection, request, response);
    } else if (!body && paths.isProbe(path)) {
      answer(request, response);
    } else {
      answerIfThreadsAreLeft(request, response);
    }
  }

  private void answerIfThreadsAreLeft(Request request, Response response)
      throws IOException, ServletException {
    Semaphore threads = otherRequests;
    if (!threads.tryAcquire()) {
      reject(Rejection.BUSY, request, response);
      return;
    }
    try {
      answer(request, response);
    } finally {
      threads.release();
    }
  }

  /** Returns whether Tomcat and Spring agree on what the path means. */
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

  private @Nullable Rejection bodyRejection(Request request, String path) {
    if (!paths.readsBody(request.getMethod(), path) || request.getContentLengthLong() > MAX_BODY) {
      return Rejection.BODY;
    }
    return request.getContentLengthLong() < 0 ? Rejection.LENGTH : null;
  }

  private void answer(Request request, Response response) throws IOException, ServletException {
    String host = request.getRemoteAddr();
    int port = request.getRemotePort();
    connections.replyBegan(host, port, () -> response.getBytesWritten(false));
    try {
      getNext().invoke(request, response);
      if (!request.isAsync()) {
        response.finishResponse(); // here, while this request counts against the limit
        dropRestOfBody(request);
      }
      recordFailure(request, response);
    } finally {
      connections.replyEnded(host, port);
    }
  }

  private void recordFailure(Request request, Response response) {
    if (request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) instanceof Throwable failure) {
      log.debug("A management request failed", failure);
      rejections.record(Rejection.FAILED, request.getRemoteAddr());
    } else if (response.getStatus() == Rejection.METHOD.status()) {
      rejections.record(Rejection.METHOD, request.getRemoteAddr());
    }
  }

  private void reject(Rejection reason, Request request, Response response) throws IOException {
    rejections.record(reason, request.getRemoteAddr());
    response.setStatus(reason.status());
    if (reason == Rejection.TOKEN) {
      response.setHeader("WWW-Authenticate", "Bearer");
    }
    dropRestOfBody(request);
    response.setContentType("text/plain;charset=UTF-8");
    response.getWriter().println(reason.text());
  }

  /**
   * Makes Tomcat close the connection after the reply instead of waiting for the announced body.
   */
  private static void dropRestOfBody(Request request) {
    if (hasBody(request)) {
      request.getCoyoteRequest().action(ActionCode.DISABLE_SWALLOW_INPUT, null);
    }
  }
}
