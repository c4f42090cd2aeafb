package io.penstock.core.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.RequestScanner;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.resp.ScanResult;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Parses requests a second time from their bytes, with the current command table. Confined to a
 * loop.
 */
public final class RequestReader {

  private RespLimits limits;
  private ServerFacts servers;

  /**
   * @param limits of requests
   */
  public RequestReader(RespLimits limits, ServerFacts servers) {
    this.limits = limits;
    this.servers = servers;
  }

  /** Uses {@code now} from here on. */
  public void update(ServerFacts now) {
    servers = now;
  }

  /** Uses these limits from here on. */
  public void update(RespLimits now) {
    limits = now;
  }

  public RespLimits limits() {
    return limits;
  }

  /** Returns the facts about the servers that this loop uses. */
  public ServerFacts servers() {
    return servers;
  }

  CommandTable commands() {
    return servers.commands();
  }

  /** Parses the single request in these bytes and resolves it. */
  public Command read(byte[] request) {
    return read(Unpooled.wrappedBuffer(request), 0, request.length);
  }

  /** Returns the request in a frame, not resolved. */
  public Command command(RequestFrame frame) {
    return new Command(servers.commands(), frame);
  }

  /** Parses the single request in these bytes and resolves it; borrows the buffer. */
  public Command read(ByteBuf buffer, int from, int length) {
    var scanner = new RequestScanner(limits);
    scanner.reset(from);
    if (scanner.scan(buffer, from + length) != ScanResult.REQUEST) {
      throw new IllegalStateException("a request cannot be read again");
    }
    Command command = command(scanner.frame());
    command.resolve();
    return command;
  }

  /**
   * Returns whether all requests in these bytes pass the test. Stops at the first that does not.
   *
   * @param buffer borrowed
   * @param test gets each request, resolved, valid during the call
   */
  public boolean allMatch(ByteBuf buffer, int from, int length, Predicate<Command> test) {
    var scanner = new RequestScanner(limits);
    Command command = command(scanner.frame());
    scanner.reset(from);
    while (scanner.scan(buffer, from + length) == ScanResult.REQUEST) {
      command.resolve();
      if (!test.test(command)) {
        return false;
      }
    }
    return true;
  }

  /** Passes each request in these bytes, resolved, to {@code each}; borrows the buffer. */
  public void forEach(ByteBuf buffer, int from, int length, Consumer<Command> each) {
    allMatch(
        buffer,
        from,
        length,
        command -> {
          each.accept(command);
          return true;
        });
  }
}
