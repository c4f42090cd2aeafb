package io.penstock.core.client;

import io.netty.buffer.ByteBuf;
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
 * Reads requests once more out of their bytes, as the servers are known now. Confined to a loop.
 */
public final class RequestReader {

  private final RespLimits limits;
  private ServerFacts servers;

  /**
   * @param limits of requests
   */
  public RequestReader(RespLimits limits, ServerFacts servers) {
    this.limits = limits;
    this.servers = servers;
  }

  /** Goes by what is known of the servers now. */
  public void update(ServerFacts now) {
    servers = now;
  }

  public RespLimits limits() {
    return limits;
  }

  /** What is known of the servers, as this loop has last heard. */
  public ServerFacts servers() {
    return servers;
  }

  CommandTable commands() {
    return servers.commands();
  }

  /** The request that a frame holds, not resolved. */
  public Command command(RequestFrame frame) {
    return new Command(servers.commands(), frame);
  }

  /** Reads the one request that lies there, resolved; borrows the buffer. */
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
   * Whether all requests that lie there pass the test, which is asked no more after the first that
   * does not.
   *
   * @param buffer borrowed
   * @param test is given each request, resolved, for the time of its call
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

  /** Gives each request that lies there, resolved; borrows the buffer. */
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
