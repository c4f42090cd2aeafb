package io.penstock.core.resp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Inline requests: a line split at blanks, with the quoting of {@code sdssplitargs} (sds.c) of
 * Redis, and encoded as an array of bulk strings so that all other code handles one form only. The
 * line contains no zero byte: behind one neither Redis nor {@link RequestScanner} finds the end of
 * the line.
 */
final class InlineArguments {

  private final byte[] line;
  private int at;

  private InlineArguments(byte[] line) {
    this.line = line;
  }

  /** Returns the arguments of the line, or null if its quotes do not balance. */
  static @Nullable List<byte[]> split(byte[] line) {
    return new InlineArguments(line).split();
  }

  /** Encodes the arguments as RESP into a new heap buffer, which {@code frame} then refers to. */
  static void encode(List<byte[]> arguments, RequestFrame frame) {
    ByteBuf encoded = Unpooled.buffer();
    frame.begin(encoded, 0);
    Header.write(encoded, '*', arguments.size());
    for (byte[] argument : arguments) {
      Header.write(encoded, '$', argument.length);
      frame.add(encoded.writerIndex(), argument.length);
      encoded.writeBytes(argument).writeByte('\r').writeByte('\n');
    }
    frame.finish(encoded.writerIndex());
  }

  private @Nullable List<byte[]> split() {
    List<byte[]> arguments = new ArrayList<>();
    while (skipBlanks()) {
      byte[] argument = argument();
      if (argument == null) {
        return null;
      }
      arguments.add(argument);
    }
    return arguments;
  }

  private boolean skipBlanks() {
    while (at < line.length && isBlank(line[at])) {
      at++;
    }
    return at < line.length;
  }

  private byte @Nullable [] argument() {
    var bytes = new ByteArrayOutputStream();
    while (at < line.length && !endsArgument(line[at])) {
      byte b = line[at++];
      if (b == '"' || b == '\'') {
        if (!quoted(b, bytes)) {
          return null;
        }
        break;
      }
      bytes.write(b);
    }
    return bytes.toByteArray();
  }

  /** Reads up to the closing quote, which a blank or the end of the line must follow. */
  private boolean quoted(byte quote, ByteArrayOutputStream into) {
    while (at < line.length) {
      byte b = line[at++];
      if (b == quote) {
        return at == line.length || isBlank(line[at]);
      }
      if (b == '\\' && quote == '"' && at < line.length) {
        escape(into);
      } else if (b == '\\' && quote == '\'' && at < line.length && line[at] == '\'') {
        into.write(line[at++]);
      } else {
        into.write(b);
      }
    }
    return false;
  }

  private void escape(ByteArrayOutputStream into) {
    byte b = line[at++];
    if (b == 'x' && at + 1 < line.length && hex(line[at]) >= 0 && hex(line[at + 1]) >= 0) {
      into.write(hex(line[at]) << 4 | hex(line[at + 1]));
      at += 2;
      return;
    }
    into.write(
        switch (b) {
          case 'n' -> '\n';
          case 'r' -> '\r';
          case 't' -> '\t';
          case 'b' -> '\b';
          case 'a' -> 7;
          default -> b;
        });
  }

  private static int hex(byte b) {
    return b < 0 ? -1 : Character.digit((char) b, 16);
  }

  /**
   * Not all blanks end an argument: sdssplitargs takes vertical tab and form feed as part of it.
   */
  private static boolean endsArgument(byte b) {
    return b == ' ' || b == '\t' || b == '\r' || b == '\n';
  }

  /** As isspace in C. */
  private static boolean isBlank(byte b) {
    return b == ' ' || (b >= '\t' && b <= '\r');
  }
}
