package io.penstock.core.answer;

import io.netty.buffer.Unpooled;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandErrors;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.Glob;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Shard;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code CONFIG GET}: what Penstock decides for its clients is its own, everything else is what the
 * first shard's master says, or nothing when it does not say.
 */
final class ConfigGet {

  /**
   * What opens a node to whoever knows it, by the form of its name: servers and their modules have
   * ever new ones.
   */
  private static final Predicate<String> IS_SECRET =
      Pattern.compile("(?s).*(auth|pass|password|user)").asMatchPredicate();

  /** What makes a server take a word for a pattern, and not for a parameter's name. */
  private static final Predicate<String> IS_PATTERN = Pattern.compile("[\\[*?]").asPredicate();

  /** The longest request; the names of all parameters of a server are a third of it. */
  private static final int LONGEST = 16 * 1024;

  private static final String TOO_LONG =
      "ERR CONFIG GET is too long: more than " + LONGEST + " bytes";

  /** A parameter under the name that the client gets: the one it asked for, if it gave one. */
  private record Parameter(String name, String value) {}

  private final ClientContext context;
  private final Client client;
  private final ProxyView face;
  private final SessionControl control;

  ConfigGet(AnswerContext made) {
    this.context = made.context();
    this.client = context.client();
    this.face = made.answerLoop().proxy();
    this.control = made.control();
  }

  void answer(ReplySlot request, Command command) {
    Protocol protocol = client.protocol();
    String refusal = refusal(command.frame());
    if (refusal != null) {
      LocalAnswer.send(request, protocol, reply -> reply.error(refusal));
      return;
    }
    Map<String, String> own = own();
    Map<String, Parameter> wanted = new LinkedHashMap<>();
    boolean nodeKnowsMore = false;
    for (int i = 2; i < command.argc(); i++) {
      String word = command.frame().text(i);
      nodeKnowsMore |= !own.containsKey(word.toLowerCase(Locale.ROOT));
      choose(word, own, wanted);
    }
    if (!nodeKnowsMore) {
      give(request, protocol, wanted);
      return;
    }
    List<Endpoint> first =
        context.nodes().placement().shards().stream().limit(1).map(Shard::master).toList();
    var frame = command.frame();
    String question =
        frame
            .buffer()
            .toString(frame.start(), frame.end() - frame.start(), StandardCharsets.ISO_8859_1);
    NodeQuery.send(
        context,
        first,
        question,
        replies -> give(request, protocol, overlaid(replies, own, wanted)));
  }

  /**
   * The error for a request that would keep a node busy: it tries each pattern on each parameter.
   */
  private static @Nullable String refusal(RequestFrame frame) {
    if (frame.end() - frame.start() > LONGEST) {
      return TOO_LONG;
    }
    int patterns = 0;
    for (int i = 2; i < frame.argc(); i++) {
      patterns += IS_PATTERN.test(frame.text(i)) ? frame.length(i) : 0;
    }
    return patterns > Glob.MAX_LENGTH ? CommandErrors.PATTERN_TOO_LONG : null;
  }

  private static void choose(String word, Map<String, String> own, Map<String, Parameter> wanted) {
    if (!IS_PATTERN.test(word)) {
      String name = word.toLowerCase(Locale.ROOT);
      String value = own.get(name);
      if (value != null) {
        wanted.putIfAbsent(name, new Parameter(word, value));
      }
      return;
    }
    Glob glob = Glob.ignoringCase(word);
    own.forEach((name, value) -> {
      if (glob.matches(name)) {
        wanted.putIfAbsent(name, new Parameter(name, value));
      }
    });
  }

  /** A name as servers compare it: in any case, and as C's string functions see it. */
  static String plain(String name) {
    return ReplyStrings.cString(name).toLowerCase(Locale.ROOT);
  }

  /** Whether it is a node's secret, which nobody is told. */
  static boolean isSecret(String name) {
    return IS_SECRET.test(name);
  }

  /** As the proxy was configured, and where this client is connected. */
  private Map<String, String> own() {
    Map<String, String> own = new LinkedHashMap<>(face.config());
    if (control.localAddress() instanceof InetSocketAddress address) {
      own.put("port", Integer.toString(address.getPort()));
    }
    return own;
  }

  /** What the node says of parameters that are not Penstock's own, among those that are. */
  private static Map<String, Parameter> overlaid(
      List<@Nullable String> replies, Map<String, String> own, Map<String, Parameter> wanted) {
    Map<String, Parameter> all = new LinkedHashMap<>();
    for (String reply : replies) {
      for (Parameter node : parameters(reply)) {
        String name = plain(node.name());
        Parameter mine = wanted.get(name);
        if (mine != null) {
          all.put(name, mine); // where the node has it
        } else if (!own.containsKey(name)) {
          all.put(name, isSecret(name) ? new Parameter(node.name(), "") : node);
        }
      }
    }
    wanted.forEach(all::putIfAbsent);
    return all;
  }

  private static List<Parameter> parameters(@Nullable String reply) {
    List<Parameter> parameters = new ArrayList<>();
    if (reply != null && !reply.startsWith("-")) {
      List<String> strings =
          ReplyStrings.of(Unpooled.wrappedBuffer(reply.getBytes(StandardCharsets.ISO_8859_1)));
      for (int i = 0; i + 1 < strings.size(); i += 2) {
        parameters.add(new Parameter(strings.get(i), strings.get(i + 1)));
      }
    }
    return parameters;
  }

  private static void give(
      ReplySlot request, Protocol protocol, Map<String, Parameter> parameters) {
    LocalAnswer.send(request, protocol, reply -> write(parameters, reply));
  }

  private static void write(Map<String, Parameter> parameters, ReplyWriter reply) {
    reply.map(parameters.size());
    for (Parameter parameter : parameters.values()) {
      reply.bulk(parameter.name());
      reply.bulk(parameter.value());
    }
  }
}
