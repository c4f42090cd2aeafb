package io.penstock.core.session;

import io.penstock.core.cluster.Node;
import io.penstock.core.cluster.Shard;
import io.penstock.core.command.Command;
import io.penstock.core.command.Glob;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code CONFIG GET}: what Penstock decides for its clients is its own, everything else is what the
 * first shard's master says, or nothing when it does not say.
 */
final class ConfigGet {

  private final Session session;

  ConfigGet(Session session) {
    this.session = session;
  }

  void answer(Request request, Command command) {
    Protocol protocol = session.profile().protocol();
    List<String> patterns = new ArrayList<>();
    for (int i = 2; i < command.argc(); i++) {
      patterns.add(LocalReplies.text(command.frame(), i));
    }
    Map<String, String> own = own();
    Map<String, String> wanted = new LinkedHashMap<>();
    boolean nodeKnowsMore = false;
    for (String pattern : patterns) {
      nodeKnowsMore |= !own.containsKey(pattern.toLowerCase(Locale.ROOT));
      Glob glob = Glob.ignoringCase(pattern);
      own.forEach(
          (name, value) -> {
            if (glob.matches(name)) {
              wanted.put(name, value);
            }
          });
    }
    if (!nodeKnowsMore) {
      give(request, protocol, wanted);
      return;
    }
    List<Node> first =
        session.loop().dispatcher().adoptTopology().shards().stream()
            .limit(1)
            .map(Shard::master)
            .toList();
    var frame = command.frame();
    String question =
        frame
            .buffer()
            .toString(frame.start(), frame.end() - frame.start(), StandardCharsets.ISO_8859_1);
    NodeSurvey.ask(
        session, first, question, replies -> give(request, protocol, overlaid(replies, wanted)));
  }

  /** As the proxy was configured, and where this client is connected. */
  private Map<String, String> own() {
    Map<String, String> own = new LinkedHashMap<>(session.loop().settings().face().config());
    if (session.channel().localAddress() instanceof InetSocketAddress address) {
      own.put("port", Integer.toString(address.getPort()));
    }
    return own;
  }

  private static Map<String, String> overlaid(
      List<@Nullable String> replies, Map<String, String> own) {
    Map<String, String> all = new LinkedHashMap<>();
    for (String reply : replies) {
      if (reply != null && !reply.startsWith("-")) {
        List<String> strings = strings(reply);
        for (int i = 0; i + 1 < strings.size(); i += 2) {
          all.put(strings.get(i), strings.get(i + 1));
        }
      }
    }
    all.putAll(own);
    return all;
  }

  /** The strings of an array or map of strings. */
  private static List<String> strings(String reply) {
    List<String> strings = new ArrayList<>();
    int at = reply.indexOf('\n') + 1;
    while (at < reply.length() && reply.charAt(at) == '$') {
      int end = reply.indexOf('\r', at);
      int length = Math.max(0, Integer.parseInt(reply.substring(at + 1, end)));
      strings.add(reply.substring(end + 2, end + 2 + length));
      at = end + 2 + length + 2;
    }
    return strings;
  }

  private static void give(Request request, Protocol protocol, Map<String, String> parameters) {
    LocalAnswer.give(request, protocol, reply -> write(parameters, reply));
  }

  private static void write(Map<String, String> parameters, ReplyWriter reply) {
    reply.map(parameters.size());
    parameters.forEach(
        (name, value) -> {
          reply.bulk(name);
          reply.bulk(value);
        });
  }
}
