package io.penstock.core.answer;

import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.command.Command;
import io.penstock.core.command.ServerWords;
import io.penstock.core.directory.ClientDirectory;
import io.penstock.core.directory.ClientFilter;
import io.penstock.core.directory.ClientIteration;
import io.penstock.core.directory.ClientPause;
import io.penstock.core.directory.ListedClient;
import io.penstock.core.directory.LoopClients;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.LocalCommand;
import io.penstock.core.users.Users;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Answers the subcommands of {@code CLIENT} about all clients: each runs a task on every loop, and
 * is answered when all are done.
 */
public final class ClientAdministration {

  private static final long LONGEST_PAUSE_MILLIS =
      TimeUnit.NANOSECONDS.toMillis(Long.MAX_VALUE) / 2;

  private final ClientContext context;
  private final Client client;
  private final SessionControl control;
  private final ClientDirectory directory;
  private final ClientPause pause;

  private final AnswerLoop.Access access;

  public ClientAdministration(AnswerContext parts) {
    this.context = parts.context();
    this.client = context.client();
    this.control = parts.control();
    this.directory = parts.answerLoop().directory();
    this.access = parts.answerLoop().access();
    this.pause = parts.answerLoop().pause();
  }

  /** Answers the request in {@code command}, whose spec is {@code spec}. */
  public void answer(CommandSpec spec, LocalCommand which, IncomingRequest incoming) {
    Command command = incoming.command();
    ReplySlot request = incoming.begin(spec);
    client.suspend(request); // one at a time: each takes time on every loop
    switch (which) {
      case CLIENT_LIST -> list(request, command);
      case CLIENT_KILL -> kill(request, command);
      case CLIENT_PAUSE -> pause(request, command);
      case CLIENT_UNBLOCK -> unblock(request, command);
      case CLIENT_UNPAUSE -> {
        directory.pauseEnded();
        pause.end();
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

  /** Unblocks a client: its loop sends the request to the node that it blocks on. */
  private void unblock(ReplySlot request, Command command) {
    boolean error = command.argc() == 4 && command.argEqualsIgnoreCase(3, "error");
    if (hasTooMany(command)) {
      reject(request, syntaxError(command));
    } else if (command.argc() == 4 && !error && !command.argEqualsIgnoreCase(3, "timeout")) {
      reject(request, "ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
    } else if (command.argAsLong(2) == Command.NOT_A_LONG) {
      reject(request, "ERR value is not an integer or out of range");
    } else {
      long id = command.argAsLong(2);
      Protocol protocol = client.protocol();
      LocalAnswer.whenComplete(
          directory
              .onEachLoop(loop -> unblock(loop, id, error))
              .thenCompose(ClientAdministration::sum),
          context,
          unblocked ->
              end(
                  request,
                  () -> LocalAnswer.send(request, protocol, reply -> reply.integer(unblocked))));
    }
  }

  /** Returns a stage that completes with the number of unblocked clients, on the loop. */
  private static CompletionStage<Integer> unblock(LoopClients loop, long id, boolean error) {
    var unblocked = new CompletableFuture<Integer>();
    for (ListedClient one : loop.clients()) {
      if (one.id() == id) {
        one.unblock(error, unblocked::complete);
        return unblocked;
      }
    }
    return CompletableFuture.completedStage(0);
  }

  private static CompletionStage<Integer> sum(List<CompletionStage<Integer>> answers) {
    CompletionStage<Integer> sum = CompletableFuture.completedStage(0);
    for (CompletionStage<Integer> answer : answers) {
      sum = sum.thenCombine(answer, Integer::sum);
    }
    return sum;
  }

  private boolean hasTooMany(Command command) {
    return command.argc() > 4 && !ServerWords.ignoresFurtherArguments(context.reader().servers());
  }

  private static String syntaxError(Command command) {
    String name = command.frame().text(1);
    return "ERR unknown subcommand or wrong number of arguments for '"
        + name
        + "'. Try CLIENT HELP.";
  }

  private void reject(ReplySlot request, String error) {
    client.resume(request);
    request.answer(ErrorReplies.encode(error), Outcome.REJECTED);
  }

  /** Whether a client may be authenticated as this user. */
  private boolean mayBeUser(String name) {
    Users users = access.users();
    if (users != null) {
      return users.now().find(name) != null;
    }
    return access.certificateUsers().mayName(name);
  }

  private void list(ReplySlot request, Command command) {
    var filter = new ClientFilter(this::mayBeUser, context.reader().servers());
    String error = filter.readList(command);
    if (error != null) {
      reject(request, error);
      return;
    }
    Protocol protocol = client.protocol();
    long except = filter.skipsCaller() ? client.id() : ClientDirectory.NO_CLIENT;
    Queue<Map<Long, String>> lists = new ConcurrentLinkedQueue<>();
    LocalAnswer.whenComplete(
        directory.onEachLoopAsync(loop -> list(loop, filter, except, lists)),
        context,
        _ -> end(request, () -> give(request, protocol, join(lists))));
  }

  private static void give(ReplySlot request, Protocol protocol, String text) {
    LocalAnswer.send(request, protocol, reply -> reply.verbatim(text));
  }

  private static CompletionStage<Boolean> list(
      LoopClients loop, ClientFilter filter, long except, Queue<Map<Long, String>> lists) {
    Map<Long, String> lines = new TreeMap<>();
    return ClientIteration.begin(
            loop,
            one -> {
              if (one.id() != except && filter.accepts(one)) {
                lines.put(one.id(), one.line());
              }
            })
        .thenApply(_ -> lists.add(lines));
  }

  /** Sends the reply; the client's next requests are handled after that. */
  private void end(ReplySlot request, Runnable answer) {
    client.resume(request);
    answer.run();
  }

  /** Joins the lines, oldest client first, as in Redis. */
  private static String join(Queue<Map<Long, String>> lists) {
    Map<Long, String> lines = new TreeMap<>();
    lists.forEach(lines::putAll);
    var text = new StringBuilder();
    lines.values().forEach(line -> text.append(line).append('\n'));
    return text.toString();
  }

  private void kill(ReplySlot request, Command command) {
    var filter = new ClientFilter(this::mayBeUser, context.reader().servers());
    String error = filter.readKill(command);
    if (error != null) {
      reject(request, error);
      return;
    }
    boolean byAddress = command.argc() == 3;
    Protocol protocol = client.protocol();
    boolean itself = !filter.skipsCaller() && filter.accepts(control.view());
    if (itself) {
      client.drain(); // closed after this reply; later requests are not read
    }
    LocalAnswer.whenComplete(
        directory.kill(filter, client.id()).thenApply(others -> itself ? others + 1 : others),
        context,
        killed ->
            end(
                request,
                () ->
                    LocalAnswer.send(
                        request, protocol, reply -> killReply(byAddress, killed, reply))));
  }

  private static void killReply(boolean byAddress, int killed, ReplyWriter reply) {
    if (!byAddress) {
      reply.integer(killed);
    } else if (killed > 0) {
      reply.status("OK");
    } else {
      reply.error("ERR No such client");
    }
  }

  private void pause(ReplySlot request, Command command) {
    boolean all = command.argc() != 4 || command.argEqualsIgnoreCase(3, "all");
    long millis = command.argAsLong(2);
    if (hasTooMany(command)) {
      reject(request, syntaxError(command));
    } else if (!all && !command.argEqualsIgnoreCase(3, "write")) {
      reject(request, "ERR CLIENT PAUSE mode must be WRITE or ALL");
    } else if (millis == Command.NOT_A_LONG) {
      reject(request, "ERR timeout is not an integer or out of range");
    } else if (millis < 0) {
      reject(request, "ERR timeout is negative");
    } else {
      long capped = Math.min(millis, LONGEST_PAUSE_MILLIS);
      long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(capped);
      directory.pauseBegan(until, all);
      pause.begin(until, all); // the next request of this client must wait already
      whenAll(
          loop -> {
            loop.pause().begin(until, all);
            return loop;
          },
          request);
    }
  }

  /** Runs the action on every loop, then answers {@code OK}. */
  private void whenAll(Function<LoopClients, LoopClients> action, ReplySlot request) {
    Protocol protocol = client.protocol();
    LocalAnswer.whenComplete(
        directory.onEachLoop(action),
        context,
        _ -> end(request, () -> LocalAnswer.send(request, protocol, reply -> reply.status("OK"))));
  }
}
