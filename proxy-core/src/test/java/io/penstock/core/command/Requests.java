package io.penstock.core.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.resp.RequestFrame;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Requests for tests, in wire form and as frames over it. */
final class Requests {

  private Requests() {}

  /** A request of arguments that are written one character a byte. */
  static RequestFrame frame(String... arguments) {
    byte[] wire = wire(List.of(arguments));
    ByteBuf buffer = Unpooled.wrappedBuffer(wire);
    RequestFrame frame = new RequestFrame();
    frame.begin(buffer, 0);
    int at = header(arguments.length).length();
    for (String argument : arguments) {
      at += ("$" + argument.length() + "\r\n").length();
      frame.add(at, argument.length());
      at += argument.length() + 2;
    }
    frame.finish(at);
    return frame;
  }

  /** The same, separated by spaces; {@code ""} stands for an empty argument. */
  static RequestFrame call(String line) {
    return frame(words(line));
  }

  static String[] words(String line) {
    String[] words = line.split(" ", -1);
    for (int i = 0; i < words.length; i++) {
      words[i] = words[i].equals("\"\"") ? "" : words[i];
    }
    return words;
  }

  static byte[] wire(List<String> arguments) {
    ByteArrayOutputStream wire = new ByteArrayOutputStream();
    wire.writeBytes(bytes(header(arguments.size())));
    for (String argument : arguments) {
      wire.writeBytes(bytes("$" + argument.length() + "\r\n" + argument + "\r\n"));
    }
    return wire.toByteArray();
  }

  private static String header(int arguments) {
    return "*" + arguments + "\r\n";
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
