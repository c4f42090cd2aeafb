package io.penstock.fuzz;

import io.penstock.core.backend.ReplyTarget;
import io.penstock.core.command.KeyTarget;
import io.penstock.core.listener.HeaderTarget;
import io.penstock.core.route.MergeTarget;
import io.penstock.core.session.RequestTarget;
import java.util.Arrays;
import java.util.stream.Collectors;

/** What is fuzzed. */
enum Target {
  REQUESTS(RequestTarget.class, "core.resp.**:core.session.Input"),
  REPLIES(ReplyTarget.class, "core.resp.**:core.backend.ReplyStream"),
  MERGES(MergeTarget.class, "core.resp.**:core.route.**"),
  KEYS(KeyTarget.class, "core.command.**"),
  HEADERS(HeaderTarget.class, "core.listener.ProxyHeader:io.netty.handler.codec.haproxy.**"),
  URLS(UrlTarget.class, "server.url.**"),
  CONFIGURATION(ConfigurationTarget.class, "server.config.**:server.url.**:core.command.RuleCheck");

  private final Class<?> code;
  private final String guides;

  /**
   * @param guides whose coverage guides the fuzzer
   */
  Target(Class<?> code, String guides) {
    this.code = code;
    this.guides = guides;
  }

  Class<?> code() {
    return code;
  }

  /** In Jazzer's notation. */
  String instrumentation() {
    return Arrays.stream(guides.split(":"))
        .map(guide -> guide.startsWith("io.netty.") ? guide : "io.penstock." + guide)
        .collect(Collectors.joining(":"));
  }
}
