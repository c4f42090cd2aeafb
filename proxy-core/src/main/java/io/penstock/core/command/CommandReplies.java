package io.penstock.core.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.Ascii;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.KeyPositions;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The replies to COMMAND and its subcommands, in the form of Redis 7. Methods append to a buffer
 * that they borrow. Confined to one thread.
 */
public final class CommandReplies {

  private static final String SYNTAX_ERROR = "ERR syntax error";
  private static final String INFO_TOO_LONG = "OVERLOADED the reply would be longer than 16 MiB";

  /**
   * Longest reply to {@code COMMAND INFO}: a request can repeat a short name a million times, and
   * each answer is a hundred times as long.
   */
  private static final int MAX_INFO_BYTES = 16 * 1024 * 1024;

  private final CommandTable table;
  private final Map<Protocol, ByteBuf> all = new EnumMap<>(Protocol.class);
  private final Map<Protocol, Map<CommandSpec, byte[]>> infoReplies = new EnumMap<>(Protocol.class);

  public CommandReplies(CommandTable table) {
    this.table = table;
  }

  /**
   * Returns the reply to {@code COMMAND}: all commands with all their facts.
   *
   * @return a buffer that the caller must release; it shares its memory with all other such replies
   */
  public ByteBuf all(Protocol protocol) {
    return all.computeIfAbsent(protocol, this::shared).retainedSlice();
  }

  /**
   * Creates a buffer outside any pool. It is never released; its memory is freed with the table.
   */
  private ByteBuf shared(Protocol protocol) {
    ByteBuf written = Unpooled.buffer();
    all(protocol, written);
    ByteBuffer memory = ByteBuffer.allocateDirect(written.readableBytes());
    return Unpooled.wrappedBuffer(memory.put(written.nioBuffer()).flip());
  }

  private void all(Protocol protocol, ByteBuf out) {
    ReplyWriter reply = new ReplyWriter(out, protocol);
    CommandInfoWriter specs = new CommandInfoWriter(reply);
    reply.array(table.commands().size());
    for (CommandSpec spec : table.commands()) {
      specs.write(spec);
    }
  }

  /** Writes the reply to {@code COMMAND COUNT}. */
  public void count(ByteBuf out) {
    new ReplyWriter(out, Protocol.RESP2).integer(table.commands().size());
  }

  /** Writes the reply to {@code COMMAND INFO [name …]}. */
  public void info(RequestFrame request, Protocol protocol, ByteBuf out) {
    if (request.argc() == 2) {
      all(protocol, out);
      return;
    }
    ReplyWriter reply = new ReplyWriter(out, protocol);
    Map<CommandSpec, byte[]> known =
        infoReplies.computeIfAbsent(protocol, _ -> new IdentityHashMap<>());
    int start = out.writerIndex();
    reply.array(request.argc() - 2);
    for (int i = 2; i < request.argc(); i++) {
      if (out.writerIndex() - start > MAX_INFO_BYTES) {
        out.writerIndex(start);
        reply.error(INFO_TOO_LONG);
        return;
      }
      CommandSpec spec = table.lookUp(text(request, i));
      if (spec == null) {
        reply.nil();
      } else {
        out.writeBytes(known.computeIfAbsent(spec, s -> described(s, protocol)));
      }
    }
  }

  /**
   * Encodes the entry for one command. The caller caches it: one request may name a hundred
   * thousand.
   */
  private static byte[] described(CommandSpec spec, Protocol protocol) {
    ByteBuf out = Unpooled.buffer();
    new CommandInfoWriter(new ReplyWriter(out, protocol)).write(spec);
    return ByteBufUtil.getBytes(out);
  }

  /**
   * Writes the reply to {@code COMMAND LIST [FILTERBY MODULE name | ACLCAT category | PATTERN
   * pattern]}.
   */
  public void list(RequestFrame request, Protocol protocol, ByteBuf out) {
    ReplyWriter reply = new ReplyWriter(out, protocol);
    NameFilter filter = request.argc() == 2 ? NameFilter.all() : filter(request);
    if (filter == null) {
      reply.error(SYNTAX_ERROR);
      return;
    }
    List<CommandSpec> chosen = new ArrayList<>();
    for (CommandSpec command : table.commands()) {
      addAccepted(command, filter, chosen);
      for (CommandSpec subcommand : command.subcommands()) {
        addAccepted(subcommand, filter, chosen);
      }
    }
    reply.array(chosen.size());
    for (CommandSpec spec : chosen) {
      reply.bulk(spec.wireName());
    }
  }

  private static @Nullable NameFilter filter(RequestFrame request) {
    return request.argc() == 5 && Ascii.equalsIgnoreCase(request, 2, "filterby")
        ? NameFilter.of(request, 3, text(request, 4))
        : null;
  }

  private static void addAccepted(CommandSpec spec, NameFilter filter, List<CommandSpec> into) {
    if (filter.accepts(spec)) {
      into.add(spec);
    }
  }

  /** Writes the reply to {@code COMMAND GETKEYS command [argument …]}. */
  public void getKeys(RequestFrame request, Protocol protocol, ByteBuf out) {
    ReplyWriter reply = new ReplyWriter(out, protocol);
    RequestFrame call = call(request);
    CommandSpec spec = table.find(call);
    if (spec == null || (spec.isContainer() && call.argc() > 1)) {
      reply.error("ERR Invalid command specified");
    } else if (!spec.hasKeys()) {
      reply.error("ERR The command has no key arguments");
    } else if (!spec.acceptsArity(call.argc())) {
      reply.error("ERR Invalid number of arguments specified for command");
    } else {
      keys(spec, call, reply);
    }
  }

  private static void keys(CommandSpec spec, RequestFrame call, ReplyWriter reply) {
    KeyPositions keys = new KeyPositions();
    spec.findKeysForGetKeys(call, keys);
    if (keys.size() == 0 && !spec.has(CommandFlag.NO_MANDATORY_KEYS)) {
      reply.error("ERR Invalid arguments specified for command");
      return;
    }
    reply.array(keys.size());
    for (int i = 0; i < keys.size(); i++) {
      int argument = keys.get(i);
      reply.bulk(call.buffer(), call.offset(argument), call.length(argument));
    }
  }

  /** Returns the call in the arguments of COMMAND GETKEYS as a frame of its own. */
  private static RequestFrame call(RequestFrame request) {
    RequestFrame call = new RequestFrame();
    call.begin(request.buffer(), request.start());
    for (int i = 2; i < request.argc(); i++) {
      call.add(request.offset(i), request.length(i));
    }
    call.finish(request.end());
    return call;
  }

  private static String text(RequestFrame request, int i) {
    return request
        .buffer()
        .toString(request.offset(i), request.length(i), StandardCharsets.ISO_8859_1);
  }
}
