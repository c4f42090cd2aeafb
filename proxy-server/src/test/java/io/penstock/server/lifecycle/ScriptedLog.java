package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/**
 * What Penstock logs during the steps of a script, compared with a file: {@code ##} begins a step,
 * {@code #} a comment. Times, addresses and other values that differ from run to run are replaced.
 *
 * <p>Lines about one node must come in the order of the file, and no more often. Lines about
 * different nodes may come in any order. A line that begins with {@code ?} may be missing, or come
 * several times: it depends on which of two events Penstock notices first; one before the first
 * step is for all steps. {@code -Drewrite} writes the file, but leaves such lines to the author.
 */
final class ScriptedLog implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String STEP = "## ";
  private static final String OPTIONAL = "? ";
  private static final Pattern ADDRESS =
      Pattern.compile("(?:127\\.0\\.0\\.\\d+|[a-z.]+\\.test):(\\d+)");

  /**
   * What the kernel says of a connection whose other side has died; which one depends on timing.
   */
  private static final String LOST =
      "(the node closed the connection|recvAddress\\S* failed.*|Connection reset( by peer)?|Broken"
          + " pipe)";

  private static final Map<Pattern, String> VALUES = new LinkedHashMap<>();

  static {
    VALUES.put(Pattern.compile("\\b\\d+\\.\\d s\\b"), "<t> s");
    VALUES.put(Pattern.compile("\\b\\d+ ms\\b"), "<t> ms");
    VALUES.put(Pattern.compile("\\d+ failed refresh(es)?"), "<n> failed refreshes");
    VALUES.put(
        Pattern.compile("refreshed from [\\w-]+ \\(trigger: [a-z ]+\\)"),
        "refreshed from <node> (trigger: <trigger>)");
    VALUES.put(
        Pattern.compile("Connection to (\\S+) lost: " + LOST + "$"),
        "Connection to $1 lost: <reason>");
    VALUES.put(Pattern.compile("; \\d of \\d sentinels agree"), "; <n> of <n> sentinels agree");
    VALUES.put(Pattern.compile(", replicas \\[[^]]*\\]"), ", replicas [<replicas>]");
    VALUES.put(
        Pattern.compile(
            "does not answer \\((no reply while requests are in flight|no reply in time|"
                + "no data from the node while replies are pending)\\)"),
        "does not answer (<no reply>)");
    VALUES.put(
        Pattern.compile("hold: (\\d+) requests?, \\1 served, 0 failed"),
        "hold: <n> requests, <n> served, 0 failed");
    VALUES.put(
        Pattern.compile("\\d masters, \\d replicas, .*; masters unchanged.*"),
        "<size>; masters unchanged; <replicas>");
    VALUES.put(
        Pattern.compile("Connection (closed prematurely|reset by peer)"), "Connection refused");
    VALUES.put(Pattern.compile("hash [0-9a-f]+"), "hash <hash>");
  }

  private final Path file;
  private final List<Step> steps = new ArrayList<>();
  private final Map<String, String> names = new LinkedHashMap<>(); // by port
  private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  private final Logger penstock = (Logger) LoggerFactory.getLogger("io.penstock");
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          String logger = event.getLoggerName();
          boolean isOfPenstock =
              logger.startsWith("io.penstock") && !logger.startsWith("io.penstock.testkit");
          if (isOfPenstock || event.getLevel().isGreaterOrEqual(Level.WARN)) {
            add(event);
          }
        }
      };

  /** A step: its title, and its lines in the order of the log or of the file. */
  private record Step(String title, List<String> lines) {}

  /**
   * Listens from now on.
   *
   * @param file below the folder of test resources
   */
  ScriptedLog(Path file) {
    this.file = file;
    penstock.setLevel(Level.INFO);
    appender.start();
    root.addAppender(appender);
  }

  /** Shows a name in the place of the address with this port. */
  void name(int port, String name) {
    names.put(Integer.toString(port), name);
  }

  private synchronized void add(ILoggingEvent event) {
    if (!steps.isEmpty()) {
      steps.getLast().lines.add(event.getLevel() + " " + event.getFormattedMessage());
    }
  }

  /** Lines belong to this step from now on. */
  synchronized void step(String title) {
    steps.add(new Step(title, new ArrayList<>()));
  }

  /** Waits until the step has a line that contains the text. */
  void awaitLine(String text) {
    awaitLines(text, 1);
  }

  /** Waits until the step has so many lines that contain the text. */
  void awaitLines(String text, int count) {
    await(text)
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(lines().stream().filter(line -> line.contains(text)).toList())
                .as(() -> String.join("\n", lines()))
                .hasSizeGreaterThanOrEqualTo(count));
  }

  /** The lines of the latest step, as in the file. */
  private synchronized List<String> lines() {
    return steps.getLast().lines.stream().map(this::shown).toList();
  }

  private String shown(String line) {
    String text =
        ADDRESS
            .matcher(line)
            .replaceAll(
                found -> Matcher.quoteReplacement(names.getOrDefault(found.group(1), "<address>")));
    for (Map.Entry<Pattern, String> value : VALUES.entrySet()) {
      text = value.getKey().matcher(text).replaceAll(value.getValue());
    }
    return text;
  }

  /** Compares all steps with the file. */
  synchronized void verify() throws IOException {
    List<String> head = new ArrayList<>();
    List<Step> expected = read(head);
    List<Step> logged =
        steps.stream()
            .map(step -> new Step(step.title, step.lines.stream().map(this::shown).toList()))
            .toList();
    if (System.getProperty("rewrite") != null) {
      write(head, expected, logged);
      expected = read(new ArrayList<>());
    }
    assertThat(text(logged, expected, optionalOf(head)))
        .as("%s; -Drewrite writes it. Logged:%n%s", file, whole(logged))
        .isEqualTo(text(expected, expected, List.of()));
  }

  private static String whole(List<Step> logged) {
    return logged.stream()
        .map(step -> STEP + step.title + "\n" + String.join("\n", step.lines))
        .collect(Collectors.joining("\n\n"));
  }

  /** What is compared: the lines that must be there, those about one node together. */
  private static String text(List<Step> some, List<Step> expected, List<String> always) {
    StringBuilder text = new StringBuilder();
    for (Step step : some) {
      List<String> optional = optionalOf(linesOf(expected, step.title));
      text.append(STEP).append(step.title).append('\n');
      step.lines.stream()
          .filter(line ->
              !line.startsWith(OPTIONAL) && !optional.contains(line) && !always.contains(line))
          .collect(Collectors.groupingBy(ScriptedLog::subject, TreeMap::new, Collectors.toList()))
          .values()
          .forEach(lines -> lines.forEach(line -> text.append(line).append('\n')));
      text.append('\n');
    }
    return text.toString();
  }

  /** Returns what a line is about: the first word after the level that has a digit, such as A1. */
  private static String subject(String line) {
    Matcher name = Pattern.compile("\\b[A-Za-z]+-?\\d\\b").matcher(line);
    return line.contains("Topology refreshed") || !name.find() ? "" : name.group();
  }

  private static List<String> linesOf(List<Step> some, String title) {
    return some.stream()
        .filter(step -> step.title.equals(title))
        .flatMap(step -> step.lines.stream())
        .toList();
  }

  private static List<String> optionalOf(List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith(OPTIONAL))
        .map(line -> line.substring(OPTIONAL.length()))
        .toList();
  }

  /**
   * @param head gets the lines before the first step
   */
  private List<Step> read(List<String> head) throws IOException {
    List<Step> read = new ArrayList<>();
    if (!Files.exists(file)) {
      return read;
    }
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith(STEP)) {
        read.add(new Step(line.substring(STEP.length()), new ArrayList<>()));
      } else if (read.isEmpty()) {
        head.add(line);
      } else if (!line.isBlank()) {
        read.getLast().lines.add(line);
      }
    }
    return read;
  }

  private void write(List<String> head, List<Step> before, List<Step> logged) throws IOException {
    List<String> text = new ArrayList<>(head);
    for (Step step : logged) {
      List<String> optional = optionalOf(linesOf(before, step.title));
      List<String> always = optionalOf(head);
      if (!text.isEmpty() && !text.getLast().isBlank()) {
        text.add("");
      }
      text.add(STEP + step.title);
      step.lines.stream()
          .filter(line -> !optional.contains(line) && !always.contains(line))
          .forEach(text::add);
      optional.forEach(line -> text.add(OPTIONAL + line));
    }
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    Files.write(file, text);
  }

  @Override
  public void close() {
    root.detachAppender(appender);
    penstock.setLevel(null);
  }
}
