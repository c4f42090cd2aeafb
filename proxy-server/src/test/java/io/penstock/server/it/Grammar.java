package io.penstock.server.it;

import io.penstock.testkit.wire.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/**
 * The grammar of the calls that {@link GeneratedDifferentialIT} generates: the lines of {@code
 * grammar.txt}, which describes its syntax at the top.
 */
final class Grammar {

  private static final int MOST_REPEATED = 3;

  /** A piece of a line. */
  private sealed interface Piece {

    record Word(byte[] bytes) implements Piece {}

    record Argument(String kind) implements Piece {}

    record Keys(String kind) implements Piece {}

    record Sequence(List<Piece> pieces) implements Piece {}

    record Maybe(Piece piece) implements Piece {}

    record Choice(List<Piece> pieces) implements Piece {}

    record Repeated(Piece piece) implements Piece {}
  }

  /** One line. */
  record Line(String text, boolean maySpoil, Object pieces) {

    /** Returns the name of the command. */
    String command() {
      return text.split(" ", 2)[0];
    }

    /** Returns how many arguments are keys; more than one if the number is variable. */
    int keys() {
      return Grammar.keys((Piece) pieces);
    }

    /** Generates a call from this line. */
    List<byte[]> call(Random random, RandomArguments arguments) {
      List<byte[]> words = new ArrayList<>();
      write((Piece) pieces, random, arguments, words);
      return words;
    }
  }

  private Grammar() {}

  /** Reads {@code grammar.txt}. */
  static List<Line> read() {
    return read("grammar.txt");
  }

  /** Reads a file with the syntax of {@code grammar.txt}. */
  static List<Line> read(String file) {
    try (InputStream in = Objects.requireNonNull(Grammar.class.getResourceAsStream(file))) {
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(Grammar::line)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Line line(String text) {
    boolean maySpoil = !text.startsWith("! ");
    String call = maySpoil ? text : text.substring(2);
    return new Line(call, maySpoil, new Reader(call).line());
  }

  private static int keys(Piece piece) {
    return switch (piece) {
      case Piece.Word _ -> 0;
      case Piece.Argument(String kind) -> RandomArguments.isKey(kind) ? 1 : 0;
      case Piece.Keys _ -> 2;
      case Piece.Sequence(List<Piece> pieces) -> pieces.stream().mapToInt(Grammar::keys).sum();
      case Piece.Maybe(Piece maybe) -> keys(maybe);
      case Piece.Choice(List<Piece> pieces) ->
          pieces.stream().mapToInt(Grammar::keys).max().orElse(0);
      case Piece.Repeated(Piece repeated) -> 2 * keys(repeated);
    };
  }

  private static void write(
      Piece piece, Random random, RandomArguments arguments, List<byte[]> into) {
    switch (piece) {
      case Piece.Word(byte[] bytes) -> into.add(bytes);
      case Piece.Argument(String kind) -> into.add(arguments.next(kind));
      case Piece.Keys(String kind) -> {
        int count = 1 + random.nextInt(MOST_REPEATED);
        into.add(Wire.bytes(Integer.toString(count)));
        for (int i = 0; i < count; i++) {
          into.add(arguments.next(kind));
        }
      }
      case Piece.Sequence(List<Piece> pieces) ->
          pieces.forEach(p -> write(p, random, arguments, into));
      case Piece.Maybe(Piece maybe) -> {
        if (random.nextBoolean()) {
          write(maybe, random, arguments, into);
        }
      }
      case Piece.Choice(List<Piece> pieces) ->
          write(pieces.get(random.nextInt(pieces.size())), random, arguments, into);
      case Piece.Repeated(Piece repeated) -> {
        for (int i = random.nextInt(MOST_REPEATED); i >= 0; i--) {
          write(repeated, random, arguments, into);
        }
      }
    }
  }

  /** Parses a line word by word. */
  private static final class Reader {

    private final String line;
    private final List<byte[]> words;
    private int at;

    Reader(String line) {
      this.line = line;
      this.words = InlineWords.split(line);
    }

    Piece line() {
      Piece sequence = sequence();
      if (at < words.size()) {
        throw new IllegalArgumentException("grammar.txt: " + line);
      }
      return sequence;
    }

    private String peek() {
      return at < words.size() ? Wire.text(words.get(at)) : "";
    }

    private Piece sequence() {
      List<Piece> pieces = new ArrayList<>();
      while (at < words.size() && !List.of("]", ")", ")+", "|").contains(peek())) {
        pieces.add(piece());
      }
      return new Piece.Sequence(pieces);
    }

    private Piece piece() {
      byte[] bytes = words.get(at++);
      String word = Wire.text(bytes);
      if (word.equals("[")) {
        Piece piece = sequence();
        at++;
        return new Piece.Maybe(piece);
      }
      if (word.equals("(")) {
        return group();
      }
      if (word.startsWith("<") && word.endsWith(">+")) {
        return new Piece.Repeated(new Piece.Argument(word.substring(1, word.length() - 2)));
      }
      if (word.startsWith("<n:")) {
        return new Piece.Keys(word.substring(3, word.length() - 1));
      }
      return word.startsWith("<")
          ? new Piece.Argument(word.substring(1, word.length() - 1))
          : new Piece.Word(bytes);
    }

    private Piece group() {
      List<Piece> choices = new ArrayList<>();
      choices.add(sequence());
      while (peek().equals("|")) {
        at++;
        choices.add(sequence());
      }
      Piece choice = choices.size() == 1 ? choices.getFirst() : new Piece.Choice(choices);
      boolean repeated = peek().equals(")+");
      at++;
      return repeated ? new Piece.Repeated(choice) : choice;
    }
  }
}
