package io.penstock.server.sources;

import java.io.ByteArrayInputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.CollectionStartEvent;
import org.yaml.snakeyaml.events.DocumentStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.MappingStartEvent;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.reader.UnicodeReader;

/**
 * Finds out how large a YAML file would be with all aliases replaced, as Spring Boot does, and
 * rejects one that exceeds {@link Bounds}. It only looks at the parser's events, so it needs memory
 * for the file and not for what it stands for. A merged section ({@code <<}) counts like any other
 * alias. Confined to one thread.
 */
final class YamlBounds {

  /** Spring Boot writes an element of a list as {@code [123]}. */
  private static final int INDEX = 5;

  /**
   * What a node is, once aliases are replaced. Saturates: sums of sums do not overflow.
   *
   * @param values scalars that are not keys, and empty collections
   * @param characters of the values, and of their keys below the node
   * @param depth levels of sections and lists
   */
  private record Size(long values, long characters, int depth) {

    Size plus(Size other) {
      return new Size(
          sum(values, other.values),
          sum(characters, other.characters),
          Math.max(depth, other.depth));
    }

    /** Returns the size of a node below a key of this length: each value's key has it. */
    Size below(long key) {
      long more = key == 0 ? 0 : values > Long.MAX_VALUE / key ? Long.MAX_VALUE : values * key;
      return new Size(values, sum(characters, more), depth);
    }

    private static long sum(long one, long other) {
      long sum = one + other;
      return sum < 0 ? Long.MAX_VALUE : sum;
    }
  }

  private static final Size NOTHING = new Size(0, 0, 0);

  /** A collection that has begun and not ended. */
  private static final class Open {
    private final boolean mapping;
    private final @Nullable String anchor;
    private Size size = NOTHING;
    private @Nullable Size key; // null while the next node of a mapping is a key

    Open(CollectionStartEvent start) {
      this.mapping = start instanceof MappingStartEvent;
      this.anchor = start.getAnchor();
    }

    void add(Size node) {
      Size of = key;
      if (!mapping) {
        size = size.plus(node.below(INDEX));
      } else if (of == null) {
        key = node;
      } else {
        size = size.plus(node.below(of.characters() + 1));
        key = null;
      }
    }

    /** An empty collection is one value, to Spring Boot. */
    Size end() {
      return new Size(Math.max(1, size.values()), size.characters(), size.depth() + 1);
    }
  }

  private final String file;
  private final Deque<Open> open = new ArrayDeque<>();

  /** By the name of their anchor; null for a node that has not ended, which refers to itself. */
  private final Map<String, @Nullable Size> anchors = new HashMap<>();

  private Size total = NOTHING;
  private int documents;

  private YamlBounds(String file) {
    this.file = file;
  }

  /**
   * Checks a file.
   *
   * @param file names it
   * @throws UnboundedSourceException if it exceeds a bound
   * @throws org.yaml.snakeyaml.error.YAMLException if it is not YAML
   */
  static void check(String file, byte[] content) {
    YamlBounds bounds = new YamlBounds(file);
    LoaderOptions options = new LoaderOptions();
    options.setCodePointLimit(Integer.MAX_VALUE); // the size is bounded already
    new Yaml(options)
        .parse(new UnicodeReader(new ByteArrayInputStream(content)))
        .forEach(bounds::read);
  }

  private void read(Event event) {
    switch (event.getEventId()) {
      case DocumentStart -> documentStarts((DocumentStartEvent) event);
      case MappingStart, SequenceStart -> starts((CollectionStartEvent) event);
      case MappingEnd, SequenceEnd -> ends(event);
      case Scalar -> {
        ScalarEvent scalar = (ScalarEvent) event;
        Size size = new Size(1, scalar.getValue().length(), 0);
        define(scalar, size);
        add(size, event);
      }
      case Alias -> add(aliased((AliasEvent) event), event);
      case StreamStart, StreamEnd, DocumentEnd, Comment -> {}
    }
  }

  private void documentStarts(DocumentStartEvent start) {
    documents++;
    anchors.clear();
    if (documents > Bounds.DOCUMENTS) {
      throw exceeded(
          "has more than " + Bounds.DOCUMENTS + " documents at line " + line(start),
          Bounds.DOCUMENTS + " are allowed");
    }
  }

  private void starts(CollectionStartEvent start) {
    define(start, null);
    open.push(new Open(start));
    checkDepth(0, start);
  }

  /** Checks a node of that depth below the collections that are open. */
  private void checkDepth(int depth, Event event) {
    if (open.size() + depth > Bounds.DEPTH) {
      throw exceeded(
          "has more than " + Bounds.DEPTH + " levels at line " + line(event),
          Bounds.DEPTH + " are allowed");
    }
  }

  private void ends(Event end) {
    Open ended = open.pop();
    Size size = ended.end();
    if (ended.anchor != null) {
      anchors.put(ended.anchor, size);
    }
    add(size, end);
  }

  private void define(NodeEvent node, @Nullable Size size) {
    if (node.getAnchor() != null) {
      anchors.put(node.getAnchor(), size);
    }
  }

  private Size aliased(AliasEvent alias) {
    String name = alias.getAnchor();
    Size size = anchors.get(name);
    if (size != null) {
      return size;
    }
    if (anchors.containsKey(name)) {
      throw exceeded(
          "has an alias at line " + line(alias) + " that refers to what it is part of", "none is");
    }
    return NOTHING; // there is no such anchor, which Spring Boot reports
  }

  private void add(Size size, Event event) {
    checkDepth(size.depth(), event);
    Open parent = open.peek();
    if (parent != null) {
      parent.add(size);
      check(parent.size);
    } else {
      total = total.plus(size);
      check(total);
    }
  }

  private void check(Size size) {
    if (size.values() > Bounds.VALUES) {
      throw exceeded(
          "has %d values or more with its aliases replaced".formatted(size.values()),
          Bounds.VALUES + " are allowed");
    }
    if (size.characters() > Bounds.CHARACTERS) {
      throw exceeded(
          "has %d characters or more with its aliases replaced".formatted(size.characters()),
          Bounds.CHARACTERS + " are allowed");
    }
  }

  private static int line(Event event) {
    return event.getStartMark() == null ? 0 : event.getStartMark().getLine() + 1;
  }

  private UnboundedSourceException exceeded(String found, String limit) {
    return new UnboundedSourceException(file, found, limit);
  }
}
