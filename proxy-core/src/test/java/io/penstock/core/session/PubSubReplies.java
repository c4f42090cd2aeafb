package io.penstock.core.session;

import io.penstock.testkit.wire.Wire;

/** What nodes and Penstock send about subscriptions: bulk strings, and integers as {@code :1}. */
final class PubSubReplies {

  private PubSubReplies() {}

  /** As a client gets it in RESP2. */
  static String array(String... elements) {
    return "*" + elements(elements);
  }

  /** As a node sends it, and as a client gets it in RESP3. */
  static String push(String... elements) {
    return ">" + elements(elements);
  }

  /** The same without the first byte. */
  static String elements(String... elements) {
    var wire = new StringBuilder(elements.length + "\r\n");
    for (String element : elements) {
      wire.append(element.startsWith(":") ? element + "\r\n" : Wire.bulk(element));
    }
    return wire.toString();
  }
}
