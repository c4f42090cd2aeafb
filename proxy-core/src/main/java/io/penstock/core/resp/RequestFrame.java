package io.penstock.core.resp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One request as positions in its bytes: no copy, no object per argument. {@link RequestScanner}
 * fills the frame and overwrites it with its next call. Confined to one event loop.
 *
 * <p>The frame borrows the buffer. Code that keeps a request beyond the scanner's next call must
 * keep the buffer alive and copy the positions that it needs.
 */
public final class RequestFrame {

  private static final int INITIAL_ARGUMENTS = 16;
  private static final int KEPT_ARGUMENTS = 1_024;

  private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
  private int start;
  private int end;
  private int argc;
  private int[] offsets = new int[INITIAL_ARGUMENTS];
  private int[] lengths = new int[INITIAL_ARGUMENTS];

  /** The buffer that all positions refer to. */
  public ByteBuf buffer() {
    return buffer;
  }

  /** Index of the request's first byte. */
  public int start() {
    return start;
  }

  /** Index just past the request's last byte. */
  public int end() {
    return end;
  }

  /** Number of arguments, including the name of the command; at least 1. */
  public int argc() {
    return argc;
  }

  /** Index in {@link #buffer()} of argument {@code i}'s first byte. */
  public int offset(int i) {
    return offsets[i];
  }

  /** Length of argument {@code i} in bytes. */
  public int length(int i) {
    return lengths[i];
  }

  /** Returns the bytes of an argument; a view. */
  public ByteBuf argument(int index) {
    return buffer().slice(offset(index), length(index));
  }

  /** Begins a new request at {@code startIndex}; arguments are added in order. */
  public void begin(ByteBuf from, int startIndex) {
    buffer = from;
    start = startIndex;
    argc = 0;
    shrink();
  }

  /** Releases the memory of a request with very many arguments; its positions are lost. */
  public void shrink() {
    if (offsets.length > KEPT_ARGUMENTS) {
      argc = 0;
      offsets = new int[INITIAL_ARGUMENTS];
      lengths = new int[INITIAL_ARGUMENTS];
    }
  }

  /** Bytes of memory for positions beyond those of a short request. */
  public int size() {
    return (offsets.length - INITIAL_ARGUMENTS) * (Integer.BYTES + Integer.BYTES);
  }

  /** Releases all extra memory of the last request; only between requests. */
  public void shrinkIdle() {
    if (offsets.length > INITIAL_ARGUMENTS) {
      argc = 0;
      offsets = new int[INITIAL_ARGUMENTS];
      lengths = new int[INITIAL_ARGUMENTS];
    }
  }

  /** Adds one argument by its position. */
  public void add(int offset, int length) {
    if (argc == offsets.length) {
      offsets = Arrays.copyOf(offsets, argc * 2);
      lengths = Arrays.copyOf(lengths, argc * 2);
    }
    offsets[argc] = offset;
    lengths[argc] = length;
    argc++;
  }

  /** Ends the request just before {@code endIndex}. */
  public void finish(int endIndex) {
    end = endIndex;
  }

  /**
   * Moves all positions to another buffer in which the same bytes begin {@code shift} bytes later.
   */
  public void rebase(ByteBuf to, int shift) {
    buffer = to;
    start += shift;
    end += shift;
    for (int i = 0; i < argc; i++) {
      offsets[i] += shift;
    }
  }

  /** Returns the bytes of an argument as characters, one to one. */
  public String text(int argument) {
    return buffer().toString(offset(argument), length(argument), StandardCharsets.ISO_8859_1);
  }
}
