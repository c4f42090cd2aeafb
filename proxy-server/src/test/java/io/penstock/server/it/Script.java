package io.penstock.server.it;

import io.penstock.testkit.wire.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A sequence of requests from the files in {@code differential/}. It starts without data and with
 * new connections. The lines of a file:
 *
 * <pre>
 * ## lists              a script begins; [single], [databases] or [slots] after its name says where it runs
 * ## lists [needs lpos]   it runs only if the server has that command, or is redis or valkey
 * LPUSH l a "\x00"      a request in the syntax of inline commands, and one reply
 * {@literal @}b GET l              the same on another connection, which is opened when first named
 * {@literal @}b/0 BLPOP k 0        no reply is read; {@literal @}b/3 reads three, {@literal @}/3 on the first connection
 * {@literal @}b/1                  one more reply is read
 * {@literal @}b/scan SCAN 0 COUNT 2  repeats with each cursor until the end; compares all elements together
 * {@literal @}b/end                the peer closes the connection
 * {@literal @}b/close              this side closes it
 * {@literal @}b/blocked 2          waits until two clients are blocked on the servers
 * </pre>
 *
 * @param name the file and the words after {@code ##}
 * @param needs a required command, or {@code redis} or {@code valkey}; empty if nothing is required
 */
record Script(String name, Where where, String needs, List<Step> steps) {

  /** The servers that a script runs on, and the server that it is compared with. */
  enum Where {
    /** A cluster and a single server, compared with a server without cluster mode. */
    EVERYWHERE,
    /** A single server, because the keys are in several slots. */
    SINGLE,
    /** A single server and several that share the keys: not a cluster, which has one database. */
    DATABASES,
    /** A cluster, compared with a cluster of one node, because the script tests slots. */
    SLOTS
  }

  /** One line. */
  record Step(String line, String connection, Action action, List<byte[]> words) {

    /** Returns the words as one request, to match against rules. */
    String request() {
      return Script.request(words);
    }
  }

  /** The action of a line. */
  sealed interface Action {

    /** Sends the words, if any, and reads a number of replies. */
    record Call(int replies) implements Action {}

    /** Sends the words again with each cursor returned. */
    record Scan() implements Action {}

    /** Waits until a number of clients are blocked. */
    record Blocked(int clients) implements Action {}

    /** Waits until the peer closes the connection. */
    record End() implements Action {}

    /** Closes the connection. */
    record Close() implements Action {}
  }

  private static final Pattern HEADING =
      Pattern.compile("## ([^\\[]+?)(?: \\[(single|databases|slots)])?(?: \\[needs (\\S+)])?");
  private static final Pattern LINE = Pattern.compile("(?:@(\\w*)(?:/(\\w+))?(?: |$))?(.*)");

  /** Returns the words as one line of text, one character for each byte. */
  static String request(List<byte[]> words) {
    return String.join(" ", words.stream().map(Wire::text).toList());
  }

  /** Returns all scripts, sorted by file name and position. */
  static List<Script> all() {
    try (Stream<Path> files =
        Files.list(
            Path.of(
                Objects.requireNonNull(Script.class.getResource("differential"), "differential")
                    .toURI()))) {
      List<Script> scripts = new ArrayList<>();
      for (Path file : files.sorted().toList()) {
        read(file, scripts);
      }
      return scripts;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void read(Path file, List<Script> into) throws IOException {
    String name = file.getFileName().toString().replace(".txt", "");
    for (String line : Files.readAllLines(file, StandardCharsets.ISO_8859_1)) {
      Matcher heading = HEADING.matcher(line);
      if (heading.matches()) {
        Where where =
            heading.group(2) == null
                ? Where.EVERYWHERE
                : Where.valueOf(heading.group(2).toUpperCase(Locale.ROOT));
        String needs = Objects.requireNonNullElse(heading.group(3), "");
        into.add(new Script(name + ": " + heading.group(1), where, needs, new ArrayList<>()));
      } else if (!line.isBlank() && !line.startsWith("#")) {
        into.getLast().steps().add(step(line));
      }
    }
  }

  private static Step step(String line) {
    Matcher parts = LINE.matcher(line);
    if (!parts.matches()) {
      throw new IllegalArgumentException(line);
    }
    String connection = Objects.requireNonNullElse(parts.group(1), "");
    List<byte[]> words = InlineWords.split(parts.group(3));
    Action action =
        switch (Objects.requireNonNullElse(parts.group(2), "1")) {
          case "scan" -> new Action.Scan();
          case "end" -> new Action.End();
          case "close" -> new Action.Close();
          case "blocked" -> new Action.Blocked(Integer.parseInt(parts.group(3)));
          case String number -> new Action.Call(Integer.parseInt(number));
        };
    return new Step(line, connection, action, words);
  }
}
