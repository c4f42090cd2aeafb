package io.penstock.core.command;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.protocol.RedisStateMachine;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.fuzz.Oracle;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandFacts;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.CommandTraits;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.KeyPositions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Fuzzes the key search. The first two bytes select a command of the table; the rest are its
 * arguments, separated by blanks. If the highest bit is set, the command is a learnt one: the rest
 * begins with its entry in the reply to {@code COMMAND}.
 */
public final class KeyTarget {

  private static final int CONTROL = 2;
  private static final byte[] BLANK = {' '};

  private static final CommandTable TABLE = CommandTable.load();
  private static final List<CommandSpec> SPECS = specs();
  private static final RedisStateMachine LETTUCE = new RedisStateMachine();
  private static final Handling FORWARDED = TABLE.byName("get").handling();

  private KeyTarget() {}

  private static List<CommandSpec> specs() {
    List<CommandSpec> specs = new ArrayList<>();
    for (CommandSpec command : TABLE.commands()) {
      specs.add(command);
      specs.addAll(command.subcommands());
    }
    return specs;
  }

  public static void fuzzerTestOneInput(byte[] data) {
    if (data.length < CONTROL) {
      return;
    }
    if (data[0] < 0) {
      learnt(data);
      return;
    }
    CommandSpec spec = SPECS.get((data[0] << 8 | (data[1] & 0xFF)) % SPECS.size());
    ByteBuf bytes = Unpooled.buffer(data.length + 64);
    for (String word : spec.name().split("\\|", -1)) {
      bytes.writeCharSequence(word, StandardCharsets.US_ASCII);
      bytes.writeBytes(BLANK);
    }
    RequestFrame frame = frame(bytes.writeBytes(data, CONTROL, data.length - CONTROL), 0);
    CommandSpec found = TABLE.find(frame);
    if (found == null || (found != spec && !spec.subcommands().contains(found))) {
      throw new AssertionError("another command is found: " + found);
    }
    check(found, frame);
  }

  private static void learnt(byte[] data) {
    ByteBuf bytes = Unpooled.wrappedBuffer(data);
    Object entry = decode(bytes.readerIndex(CONTROL));
    if (entry == null) {
      return;
    }
    RequestFrame frame = frame(bytes, bytes.readerIndex());
    CommandReplyParser.parse(
        entry,
        facts -> {
          if (TABLE.knows(facts.name())) {
            return; // a known command is not learnt
          }
          var spec = new CommandSpec(0, facts, FORWARDED, CommandTraits.NONE, List.of());
          requireSameAfterRoundTrip(spec);
          check(spec, frame);
        });
  }

  /** Decodes a reply like Lettuce; null if it is incomplete. */
  private static @Nullable Object decode(ByteBuf reply) {
    try {
      var output = new ArrayOutput<>(StringCodec.ASCII);
      List<Throwable> problems = new ArrayList<>(1);
      return LETTUCE.decode(reply, output, problems::add) && problems.isEmpty()
          ? output.get()
          : null;
    } catch (RuntimeException e) {
      return null;
    } finally {
      LETTUCE.reset();
    }
  }

  /** Requires that Penstock's own reply about a command is parsed to the same facts. */
  private static void requireSameAfterRoundTrip(CommandSpec spec) {
    ByteBuf reply = Unpooled.buffer();
    new CommandInfoWriter(new ReplyWriter(reply, Protocol.RESP2)).write(spec);
    List<CommandFacts> again = new ArrayList<>();
    CommandReplyParser.parse(decode(reply), again::add);
    if (!spec.facts().isSubcommand()) { // servers report subcommands only within their container
      Oracle.requireSame("read, written and read", List.of(spec.facts()), again);
    }
  }

  /** Splits words at blanks. Between two adjacent blanks is an empty word. */
  private static RequestFrame frame(ByteBuf bytes, int from) {
    var frame = new RequestFrame();
    frame.begin(bytes, from);
    int start = from;
    while (true) {
      int blank = bytes.indexOf(start, bytes.writerIndex(), BLANK[0]);
      int end = blank < 0 ? bytes.writerIndex() : blank;
      frame.add(start, end - start);
      if (blank < 0) {
        frame.finish(end);
        return frame;
      }
      start = blank + 1;
    }
  }

  private static void check(CommandSpec spec, RequestFrame frame) {
    if (!spec.acceptsArity(frame.argc())) {
      return;
    }
    var keys = new KeyPositions();
    int count = spec.findKeys(frame, keys);
    Oracle.require(
        count == keys.size() || (count == CommandSpec.INVALID && keys.size() == 0),
        count + " keys, and positions of " + keys.size());
    requireArguments(frame, keys);
    if (spec.firstKeyIndex() > 0) {
      Oracle.require(count == 1 && keys.get(0) == spec.firstKeyIndex(), "it is not the first key");
    }
    spec.findKeysForGetKeys(frame, keys);
    requireArguments(frame, keys);
  }

  private static void requireArguments(RequestFrame frame, KeyPositions keys) {
    Oracle.require(keys.size() <= 2 * frame.argc(), "there are more keys than arguments");
    for (int i = 0; i < keys.size(); i++) {
      int at = keys.get(i);
      Oracle.require(at > 0 && at < frame.argc(), "argument " + at + " of " + frame.argc());
    }
  }
}
