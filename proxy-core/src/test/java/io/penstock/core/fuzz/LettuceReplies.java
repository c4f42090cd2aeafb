package io.penstock.core.fuzz;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.RedisStateMachine;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reference: what Lettuce, a client library, makes of bytes. */
public final class LettuceReplies {

  private RedisStateMachine decoder = new RedisStateMachine();

  /**
   * What was read.
   *
   * @param tokens headers and values in their order
   */
  public record Decoded(Outcome outcome, List<String> tokens) {}

  /** How it ended. */
  public enum Outcome {
    /** The buffer's reader index is where the reply ends. */
    WHOLE,
    INCOMPLETE,
    /** What Lettuce does not take. */
    REFUSED
  }

  /** Reads one reply from the buffer's reader index on, and moves it; borrows the buffer. */
  public Decoded decode(ByteBuf wire) {
    var tokens = new Tokens();
    try {
      List<Throwable> problems = new ArrayList<>(1);
      boolean whole = decoder.decode(wire, tokens, problems::add);
      if (!problems.isEmpty()) {
        return new Decoded(Outcome.REFUSED, tokens.seen);
      }
      return new Decoded(whole ? Outcome.WHOLE : Outcome.INCOMPLETE, tokens.seen);
    } catch (RuntimeException e) {
      decoder.close();
      decoder = new RedisStateMachine(); // what it holds may be broken
      return new Decoded(Outcome.REFUSED, tokens.seen);
    } finally {
      decoder.reset();
    }
  }

  /** Writes down what the decoder finds. */
  private static final class Tokens extends CommandOutput<byte[], byte[], Object> {

    private final List<String> seen = new ArrayList<>();

    Tokens() {
      super(ByteArrayCodec.INSTANCE, new Object());
    }

    private void value(String type, @Nullable ByteBuffer bytes) {
      seen.add(
          bytes == null
              ? "nil"
              : type + StandardCharsets.ISO_8859_1.decode(bytes.duplicate()).toString());
    }

    @Override
    public void set(@Nullable ByteBuffer bytes) {
      value("text ", bytes);
    }

    @Override
    public void setSingle(@Nullable ByteBuffer bytes) {
      value("text ", bytes);
    }

    @Override
    public void setBigNumber(@Nullable ByteBuffer bytes) {
      value("big ", bytes);
    }

    @Override
    public void set(long integer) {
      seen.add("integer " + integer);
    }

    @Override
    public void set(double number) {
      seen.add("double " + number);
    }

    @Override
    public void set(boolean value) {
      seen.add("boolean " + value);
    }

    @Override
    public void setError(ByteBuffer error) {
      value("error ", error);
    }

    @Override
    public void setError(String error) {
      seen.add("error " + error);
    }

    @Override
    public void multi(int count) {
      seen.add(count < 0 ? "nil" : "array " + count);
    }

    @Override
    public void multiArray(int count) {
      multi(count);
    }

    @Override
    public void multiPush(int count) {
      seen.add("push " + count);
    }

    @Override
    public void multiMap(int count) {
      seen.add("map " + count);
    }

    @Override
    public void multiSet(int count) {
      seen.add("set " + count);
    }
  }
}
