package io.penstock.server.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Keys to compare layouts with. */
final class SampleKeys {

  private static final long SEED = 29; // the same keys in each run
  private static final int LEAST_BYTES = 8;
  private static final int MOST_BYTES = 32;
  private static final byte[] ALPHABET =
      "0123456789abcdefghijklmnopqrstuvwxyz:-_".getBytes(US_ASCII);

  private SampleKeys() {}

  /** Returns random keys, the same in each run. */
  static Iterable<byte[]> random(int count) {
    return () -> {
      SplittableRandom random = new SplittableRandom(SEED);
      return new Iterator<>() {
        private int left = count;

        @Override
        public boolean hasNext() {
          return left > 0;
        }

        @Override
        public byte[] next() {
          if (left-- <= 0) {
            throw new NoSuchElementException();
          }
          byte[] key = new byte[random.nextInt(LEAST_BYTES, MOST_BYTES + 1)];
          for (int i = 0; i < key.length; i++) {
            key[i] = ALPHABET[random.nextInt(ALPHABET.length)];
          }
          return key;
        }
      };
    };
  }

  /**
   * Returns the lines of a stream as keys, of any bytes; empty lines are left out. They can be read
   * once; a failure to read is an {@link UncheckedIOException}.
   */
  static Iterable<byte[]> lines(InputStream in) {
    Lines lines = new Lines(new BufferedInputStream(in));
    return () -> lines;
  }

  /** Reads one line ahead. */
  private static final class Lines implements Iterator<byte[]> {

    private final InputStream in;
    private byte @Nullable [] next;

    Lines(InputStream in) {
      this.in = in;
    }

    @Override
    public boolean hasNext() {
      if (next == null) {
        next = read();
      }
      return next != null;
    }

    @Override
    public byte[] next() {
      byte[] line = next == null ? read() : next;
      next = null;
      if (line == null) {
        throw new NoSuchElementException();
      }
      return line;
    }

    private byte @Nullable [] read() {
      ByteArrayOutputStream line = new ByteArrayOutputStream();
      try {
        for (int read = in.read(); read >= 0; read = in.read()) {
          if (read != '\n') {
            line.write(read);
            continue;
          }
          byte[] key = withoutReturn(line.toByteArray());
          if (key.length > 0) {
            return key;
          }
          line.reset();
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      byte[] last = withoutReturn(line.toByteArray());
      return last.length == 0 ? null : last;
    }

    private static byte[] withoutReturn(byte[] line) {
      int end = line.length;
      return end > 0 && line[end - 1] == '\r' ? Arrays.copyOf(line, end - 1) : line;
    }
  }
}
