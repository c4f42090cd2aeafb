package io.penstock.core.answer;

import io.netty.buffer.Unpooled;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandErrors;
import io.penstock.core.directory.NodeQuery;
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
 * Answers {@code CONFIG GET}: parameters that Penstock decides have its own values; all others have
 * the value of the first shard's master, or are missing if it does not answer.
 */
final class ConfigGet {

  /** Secrets of a node, recognized by their name: servers and modules add new ones all the time. */
  private static final Predicate<String> IS_SECRET =
      Pattern.compile("(?s).*(auth|pass|password|user)").asMatchPredicate();

  /** The characters that make a word a pattern for servers, and not a parameter's name. */
  private static final Predicate<String> IS_PATTERN = Pattern.compile("[\\[*?]").asPredicate();

  /** Bytes of the longest request; the names of all parameters of a server take a third of it. */
  private static final int LONGEST = 16 * 1024;

  private static final String TOO_LONG =
      "ERR CONFIG GET is too long: more than " + LONGEST + " bytes";

  /**
   * A parameter with the name that the client gets: the name in its request, if it was not a
   * pattern.
   */
  private record Parameter(String name, String value) {}

  private final ClientContext context;
  private final Client client;
  private final ProxyView proxy;
  private final SessionControl control;

  ConfigGet(AnswerContext parts) {
    this.context = parts.context();
    this.client = context.client();
    this.proxy = parts.answerLoop().proxy();
    this.control = parts.control();
  }

  void answer(ReplySlot request, Command command) {
    Protocol protocol = client.protocol();
    String rejection = rejection(command.frame());
    if (rejection != null) {
      LocalAnswer.send(request, protocol, reply -> reply.error(rejection));
      return;
    }
    Map<String, String> own = own();
    Map<String, Parameter> wanted = new LinkedHashMap<>();
    boolean fromNode = false;
    for (int i = 2; i < command.argc(); i++) {
      String word = command.frame().text(i);
      fromNode |= !own.containsKey(word.toLowerCase(Locale.ROOT));
      choose(word, own, wanted);
    }
    if (!fromNode) {
      give(request, protocol, wanted);
      return;
    }
    List<Endpoint> first =
        context.nodes().placement().shards().stream().limit(1).map(Shard::master).toList();
    var frame = command.frame();
    String bytes =
        frame
            .buffer()
            .toString(frame.start(), frame.end() - frame.start(), StandardCharsets.ISO_8859_1);
    NodeQuery.send(
        context, first, bytes, replies -> give(request, protocol, overlaid(replies, own, wanted)));
  }

  /**
   * Returns the error for a request that would keep a node busy, which matches each pattern against
   * each parameter; null for other requests.
   */
  private static @Nullable String rejection(RequestFrame frame) {
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

  /** Normalizes a name as servers compare it: ignoring case, and up to the first NUL. */
  static String plain(String name) {
    return ReplyStrings.cString(name).toLowerCase(Locale.ROOT);
  }

  /** Returns whether the parameter is a secret of a node, which clients do not get. */
  static boolean isSecret(String name) {
    return IS_SECRET.test(name);
  }

  /**
   * Returns Penstock's own parameters: its configuration, and the port that this client is
   * connected to.
   */
  private Map<String, String> own() {
    Map<String, String> own = new LinkedHashMap<>(proxy.config());
    if (control.localAddress() instanceof InetSocketAddress address) {
      own.put("port", Integer.toString(address.getPort()));
    }
    return own;
  }

  /** Merges the node's parameters with Penstock's own, which replace the node's values. */
  private static Map<String, Parameter> overlaid(
      List<@Nullable String> replies, Map<String, String> own, Map<String, Parameter> wanted) {
    Map<String, Parameter> all = new LinkedHashMap<>();
    for (String reply : replies) {
      for (Parameter node : parameters(reply)) {
        String name = plain(node.name());
        Parameter mine = wanted.get(name);
        if (mine != null) {
          all.put(name, mine); // in the node's order
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
