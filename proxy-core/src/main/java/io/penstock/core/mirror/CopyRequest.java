package io.penstock.core.mirror;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.penstock.core.resp.Header;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.KeyPositions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A request that Penstock makes: for a copy, or a question to the primary. Its own bytes, which
 * nobody may change.
 *
 * @param arguments including the name of the command
 */
public record CopyRequest(List<byte[]> arguments) {

  public CopyRequest {
    arguments = List.copyOf(arguments);
  }

  /** Returns a copy of a request; borrows the frame. */
  public static CopyRequest of(RequestFrame frame) {
    List<byte[]> arguments = new ArrayList<>(frame.argc());
    for (int i = 0; i < frame.argc(); i++) {
      arguments.add(ByteBufUtil.getBytes(frame.buffer(), frame.offset(i), frame.length(i)));
    }
    return new CopyRequest(arguments);
  }

  /**
   * Returns the keys of the request that this is a copy of, in its order; empty if it has none.
   *
   * @param frame that request; borrowed
   */
  public List<byte[]> keys(CommandSpec spec, RequestFrame frame) {
    var positions = new KeyPositions();
    spec.findKeys(frame, positions);
    List<byte[]> keys = new ArrayList<>(positions.size());
    for (int i = 0; i < positions.size(); i++) {
      keys.add(arguments.get(positions.get(i)));
    }
    return keys;
  }

  /** Begins a request. */
  static Builder command(String name) {
    return new Builder().text(name);
  }

  /** Appends the request in its wire form; borrows the buffer. */
  public void write(ByteBuf out) {
    Header.write(out, '*', arguments.size());
    for (byte[] argument : arguments) {
      Header.write(out, '$', argument.length);
      out.writeBytes(argument).writeByte('\r').writeByte('\n');
    }
  }

  /** Returns the number of bytes that {@link #write} appends. */
  public int size() {
    int size = headerSize(arguments.size());
    for (byte[] argument : arguments) {
      size += headerSize(argument.length) + argument.length + 2;
    }
    return size;
  }

  private static int headerSize(int number) {
    int size = 4; // type, one digit, CR LF
    for (int rest = number / 10; rest > 0; rest /= 10) {
      size++;
    }
    return size;
  }

  /** Returns the arguments as characters, separated by blanks. For tests and nothing else. */
  @Override
  public String toString() {
    return arguments.stream()
        .map(argument -> new String(argument, StandardCharsets.ISO_8859_1))
        .collect(Collectors.joining(" "));
  }

  /** Collects arguments. */
  static final class Builder {

    private final List<byte[]> arguments = new ArrayList<>();

    Builder text(String text) {
      return add(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    Builder number(long number) {
      return text(Long.toString(number));
    }

    Builder add(byte[] argument) {
      arguments.add(argument);
      return this;
    }

    Builder all(List<byte[]> more) {
      arguments.addAll(more);
      return this;
    }

    CopyRequest build() {
      return new CopyRequest(arguments);
    }

    /** Returns the effect that this request alone is. */
    Effect effect() {
      return Effect.Instead.of(build());
    }
  }
}
