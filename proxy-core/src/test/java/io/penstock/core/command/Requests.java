package io.penstock.core.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.resp.RequestFrame;
import io.penstock.testkit.wire.Wire;

/** Requests for tests, as frames over their wire form. */
public final class Requests {

  private Requests() {}

  /** Returns a request with these arguments, one character per byte. */
  public static RequestFrame frame(String... arguments) {
    ByteBuf buffer = Unpooled.wrappedBuffer(Wire.bytes(Wire.request(arguments)));
    RequestFrame frame = new RequestFrame();
    frame.begin(buffer, 0);
    int at = ("*" + arguments.length + "\r\n").length();
    for (String argument : arguments) {
      at += ("$" + argument.length() + "\r\n").length();
      frame.add(at, argument.length());
      at += argument.length() + 2;
    }
    frame.finish(at);
    return frame;
  }

  /** Returns a request with arguments separated by spaces; {@code ""} is an empty argument. */
  public static RequestFrame call(String line) {
    return frame(words(line));
  }

  public static String[] words(String line) {
    String[] words = line.split(" ", -1);
    for (int i = 0; i < words.length; i++) {
      words[i] = words[i].equals("\"\"") ? "" : words[i];
    }
    return words;
  }
}
