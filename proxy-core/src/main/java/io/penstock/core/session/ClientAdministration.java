package io.penstock.core.session;

import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.LocalCommand;
import io.penstock.core.observe.Outcome;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The subcommands of {@code CLIENT} that are about all clients: each asks every loop, and answers
 * when all have done their part.
 */
final class ClientAdministration {

  private static final long LONGEST_PAUSE_MILLIS =
      TimeUnit.NANOSECONDS.toMillis(Long.MAX_VALUE) / 2;

  private final Session session;

  ClientAdministration(Session session) {
    this.session = session;
  }

  /** Answers the request in {@code command}, whose spec is {@code spec}. */
  void answer(CommandSpec spec, LocalCommand which, Command command) {
    Request request = session.intake().begin(spec);
    session.hold(request); // one at a time: each takes every loop some time
    switch (which) {
      case CLIENT_LIST -> list(request, command);
      case CLIENT_KILL -> kill(request, command);
      case CLIENT_PAUSE -> pause(request, command);
      case CLIENT_UNBLOCK -> unblock(request, command);
      case CLIENT_UNPAUSE -> {
        session.loop().pause().end();
        whenAll(
            loop -> {
              loop.pause().end();
              return loop;
            },
            request);
      }
      default -> throw new IllegalStateException(which + " is answered elsewhere");
    }
  }

  /** The loop that has the client asks the node it blocks on. */
  private void unblock(Request request, Command command) {
    boolean error = command.argc() == 4 && command.argEqualsIgnoreCase(3, "error");
    if (command.argc() > 4) {
      refuse(request, syntaxError(command));
    } else if (command.argc() == 4 && !error && !command.argEqualsIgnoreCase(3, "timeout")) {
      refuse(request, "ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
    } else if (command.argAsLong(2) == Command.NOT_A_LONG) {
      refuse(request, "ERR value is not an integer or out of range");
    } else {
      long id = command.argAsLong(2);
      Protocol protocol = session.profile().protocol();
      LocalAnswer.when(
          askAll(loop -> loop.unblock(id, error)).thenCompose(ClientAdministration::sum),
          session,
          unblocked ->
              end(
                  request,
                  () -> LocalAnswer.give(request, protocol, reply -> reply.integer(unblocked))));
    }
  }

  private static CompletionStage<Integer> sum(List<CompletionStage<Integer>> answers) {
    CompletionStage<Integer> sum = CompletableFuture.completedStage(0);
    for (CompletionStage<Integer> answer : answers) {
      sum = sum.thenCombine(answer, Integer::sum);
    }
    return sum;
  }

  private static String syntaxError(Command command) {
    String name = LocalReplies.text(command.frame(), 1);
    return "ERR unknown subcommand or wrong number of arguments for '"
        + name
        + "'. Try CLIENT HELP.";
  }

  private void refuse(Request request, String error) {
    session.goOn(request);
    request.deliverError(ErrorReplies.encode(error), Outcome.REJECTED);
  }

  private <T> CompletionStage<List<T>> askAll(Function<SessionLoop, T> question) {
    return session.loop().directory().askAll(question);
  }

  private void list(Request request, Command command) {
    var filter = new ClientFilter();
    String error = filter.readList(command);
    if (error != null) {
      refuse(request, error);
      return;
    }
    Protocol protocol = session.profile().protocol();
    Queue<Map<Long, String>> lists = new ConcurrentLinkedQueue<>();
    LocalAnswer.when(
        onEach(loop -> list(loop, filter, lists)),
        session,
        _ -> end(request, () -> give(request, protocol, join(lists))));
  }

  private static void give(Request request, Protocol protocol, String text) {
    LocalAnswer.give(request, protocol, reply -> reply.verbatim(text));
  }

  private static CompletionStage<Boolean> list(
      SessionLoop loop, ClientFilter filter, Queue<Map<Long, String>> lists) {
    Map<Long, String> lines = new TreeMap<>();
    return ClientRound.begin(
            loop,
            client -> {
              if (filter.accepts(client)) {
                lines.put(client.id(), ClientLine.of(client));
              }
            })
        .thenApply(_ -> lists.add(lines));
  }

  /** Has each loop do its part, and completes when all have. */
  private CompletionStage<Void> onEach(Function<SessionLoop, CompletionStage<Boolean>> part) {
    return askAll(part)
        .thenCompose(parts ->
            CompletableFuture.allOf(
                parts.stream()
                    .map(CompletionStage::toCompletableFuture)
                    .toArray(CompletableFuture[]::new)));
  }

  /** Answers; the client's next requests are taken up with that. */
  private void end(Request request, Runnable answer) {
    session.goOn(request);
    answer.run();
  }

  /** Oldest client first, as Redis lists them. */
  private static String join(Queue<Map<Long, String>> lists) {
    Map<Long, String> lines = new TreeMap<>();
    lists.forEach(lines::putAll);
    var text = new StringBuilder();
    lines.values().forEach(line -> text.append(line).append('\n'));
    return text.toString();
  }

  private void kill(Request request, Command command) {
    var filter = new ClientFilter();
    String error = filter.readKill(command);
    if (error != null) {
      refuse(request, error);
      return;
    }
    boolean byAddress = command.argc() == 3;
    Protocol protocol = session.profile().protocol();
    boolean itself = !filter.skipsCaller() && filter.accepts(session);
    if (itself) {
      session.drain(); // after its reply; what comes behind this is not read any more
    }
    var killed = new AtomicInteger(itself ? 1 : 0);
    LocalAnswer.when(
        onEach(loop -> killOn(loop, filter, killed)),
        session,
        _ ->
            end(
                request,
                () ->
                    LocalAnswer.give(
                        request, protocol, reply -> told(byAddress, killed.get(), reply))));
  }

  private static void told(boolean byAddress, int killed, ReplyWriter reply) {
    if (!byAddress) {
      reply.integer(killed);
    } else if (killed > 0) {
      reply.status("OK");
    } else {
      reply.error("ERR No such client");
    }
  }

  private CompletionStage<Boolean> killOn(
      SessionLoop loop, ClientFilter filter, AtomicInteger killed) {
    return ClientRound.begin(
        loop,
        client -> {
          if (client != session && filter.accepts(client)) {
            client.abandon("CLIENT KILL");
            killed.incrementAndGet();
          }
        });
  }

  private void pause(Request request, Command command) {
    boolean all = command.argc() == 3 || command.argEqualsIgnoreCase(3, "all");
    long millis = command.argAsLong(2);
    if (command.argc() > 4) {
      refuse(request, syntaxError(command));
    } else if (!all && !command.argEqualsIgnoreCase(3, "write")) {
      refuse(request, "ERR CLIENT PAUSE mode must be WRITE or ALL");
    } else if (millis == Command.NOT_A_LONG) {
      refuse(request, "ERR timeout is not an integer or out of range");
    } else if (millis < 0) {
      refuse(request, "ERR timeout is negative");
    } else {
      long capped = Math.min(millis, LONGEST_PAUSE_MILLIS);
      long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(capped);
      session.loop().pause().begin(until, all); // the next request of this client is held already
      whenAll(
          loop -> {
            loop.pause().begin(until, all);
            return loop;
          },
          request);
    }
  }

  /** Has every loop act, then answers {@code OK}. */
  private void whenAll(Function<SessionLoop, SessionLoop> action, Request request) {
    Protocol protocol = session.profile().protocol();
    LocalAnswer.when(
        askAll(action),
        session,
        _ -> end(request, () -> LocalAnswer.give(request, protocol, reply -> reply.status("OK"))));
  }
}
