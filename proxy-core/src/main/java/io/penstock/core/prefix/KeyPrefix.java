package io.penstock.core.prefix;

import io.netty.buffer.ByteBuf;
import io.penstock.core.client.ChannelPrefix;
import io.penstock.core.client.RequestRules;
import io.penstock.core.command.Command;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplyRewriter;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.KeyPositions;
import io.penstock.core.spec.Prefixing;
import io.penstock.core.spec.Trait;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A prefix of all keys of a user: put in front of the keys of its requests, taken off the keys of
 * replies. What would see or change other keys is rejected, and so is a command of which nobody has
 * decided what becomes of it. The traits {@code prefix:} and {@code reply-keys:} of {@code
 * handling.table} say what is done with which command. Immutable: one object may serve clients of
 * several loops.
 */
public final class KeyPrefix implements RequestRules {

  private static final byte[] INVALID_ARGUMENTS = ErrorReplies.encode("ERR syntax error");

  private final Front front;
  private final boolean channels;
  private final boolean scripts;
  private final boolean counts;

  /**
   * @param text not empty, one character per byte
   * @param channels whether channels get the prefix too
   * @param scripts whether scripts are permitted, which can see keys without the prefix
   * @param counts whether {@code DBSIZE} counts the keys with the prefix, which takes as long as
   *     {@code KEYS}; otherwise it is rejected
   */
  public KeyPrefix(String text, boolean channels, boolean scripts, boolean counts) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("an empty key prefix");
    }
    this.front = new Front(text.getBytes(StandardCharsets.ISO_8859_1));
    this.channels = channels;
    this.scripts = scripts;
    this.counts = counts;
  }

  @Override
  public byte @Nullable [] rejection(Command request) {
    CommandSpec spec = request.spec();
    if (spec == null || isAnsweredWithError(request, spec)) {
      return null;
    }
    return switch (spec.prefixing()) {
      case KEYS -> hasInvalidKeys(request.frame(), spec) ? INVALID_ARGUMENTS : null;
      case SCRIPT ->
          !scripts
              ? PrefixErrors.script(spec)
              : hasInvalidKeys(request.frame(), spec) ? INVALID_ARGUMENTS : null;
      case SORT ->
          front.hasStar() && SortArguments.havePatterns(request.frame())
              ? PrefixErrors.PATTERNS_OF_SORT
              : null;
      case SCAN -> ScanArguments.areValid(request.frame()) ? null : INVALID_ARGUMENTS;
      case COUNT -> counts ? null : PrefixErrors.count(spec);
      case CHANNELS, CHANNEL_PATTERNS ->
          channels || !KeyspaceEvents.maySubscribe(request.frame(), spec)
              ? null
              : PrefixErrors.keyspaceEvents(spec);
      case ALL_CHANNELS -> channels ? PrefixErrors.allChannels(spec) : null;
      case PATTERN, INFO, CHANNEL, CHANNEL_LIST, CHANNEL_COUNTS, UNCHANGED -> null;
      case REFUSED -> PrefixErrors.refused(spec);
    };
  }

  /** Whether Penstock answers the request with an error, whoever sends it. */
  private static boolean isAnsweredWithError(Command request, CommandSpec spec) {
    return request.isUnknownSubcommand()
        || !spec.acceptsArity(request.argc())
        || (spec.handling() instanceof Handling.Rejected(_, boolean configured)
            && (configured || !spec.has(Trait.ABOUT_USERS)));
  }

  /** Whether no server could find the keys, and so none can be given the prefix. */
  private static boolean hasInvalidKeys(RequestFrame frame, CommandSpec spec) {
    return spec.firstKeyIndex() == 0
        && spec.hasKeys()
        && spec.findKeys(frame, new KeyPositions()) == CommandSpec.INVALID;
  }

  @Override
  public @Nullable ByteBuf rewrite(Command request) {
    CommandSpec spec = request.spec();
    if (spec == null || isAnsweredWithError(request, spec)) {
      return null;
    }
    RequestFrame frame = request.frame();
    return switch (spec.prefixing()) {
      case KEYS, SCRIPT -> withKeys(frame, spec);
      case SORT -> SortArguments.prefixed(frame, new PrefixedRequest(frame, front)).write();
      case PATTERN -> new PrefixedRequest(frame, front).pattern(1).write();
      case SCAN -> ScanArguments.prefixed(frame, new PrefixedRequest(frame, front)).write();
      case COUNT -> front.keysRequest();
      case INFO -> InfoSections.withoutKeyspace(frame);
      case CHANNEL -> channels ? new PrefixedRequest(frame, front).key(1).write() : null;
      case CHANNELS -> channels ? new PrefixedRequest(frame, front).keysFrom(1).write() : null;
      case CHANNEL_PATTERNS ->
          channels ? new PrefixedRequest(frame, front).patternsFrom(1).write() : null;
      case CHANNEL_LIST -> channels ? channelList(frame) : null;
      case CHANNEL_COUNTS ->
          channels ? new PrefixedRequest(frame, front).keysFrom(2).write() : null;
      case ALL_CHANNELS, UNCHANGED, REFUSED -> null;
    };
  }

  private @Nullable ByteBuf withKeys(RequestFrame frame, CommandSpec spec) {
    var request = new PrefixedRequest(frame, front);
    int onlyKey = spec.firstKeyIndex();
    if (onlyKey > 0) {
      return request.key(onlyKey).write();
    }
    var keys = new KeyPositions();
    if (spec.findKeys(frame, keys) <= 0) {
      return null;
    }
    for (int i = 0; i < keys.size(); i++) {
      request.key(keys.get(i));
    }
    return request.write();
  }

  private ByteBuf channelList(RequestFrame frame) {
    var request = new PrefixedRequest(frame, front);
    return frame.argc() > 2 ? request.pattern(2).write() : request.addAnyPattern().write();
  }

  @Override
  public @Nullable ReplyRewriter rewriterFor(CommandSpec asked) {
    Place place = placeOf(asked);
    return switch (place) {
      case REPLY_AS_IT_IS -> null;
      case REPLY -> new ErrorStripper(front.text());
      default -> new KeyStripper(front.text(), place);
    };
  }

  @Override
  public @Nullable ReplyRewriter rewriterFor(List<@Nullable CommandSpec> asked) {
    Place[] places = new Place[asked.size()];
    boolean any = false;
    for (int i = 0; i < places.length; i++) {
      CommandSpec one = asked.get(i);
      places[i] = one == null ? Place.REPLY_AS_IT_IS : placeOf(one);
      any |= places[i] != Place.REPLY_AS_IT_IS;
    }
    return any ? new KeyStripper(front.text(), places) : null;
  }

  private Place placeOf(CommandSpec asked) {
    return switch (asked.prefixing()) {
      case KEYS, SORT, PATTERN, SCAN -> place(asked.replyKeys());
      case COUNT -> Place.COUNTED;
      case CHANNEL_LIST, CHANNEL_COUNTS ->
          channels ? place(asked.replyKeys()) : Place.REPLY_AS_IT_IS;
      case INFO, SCRIPT, CHANNEL, CHANNELS, CHANNEL_PATTERNS, ALL_CHANNELS, UNCHANGED, REFUSED ->
          Place.REPLY_AS_IT_IS;
    };
  }

  private static Place place(Prefixing.Reply where) {
    return switch (where) {
      case NOWHERE -> Place.REPLY;
      case EACH -> Place.EACH;
      case SECOND -> Place.SECOND;
      case FIRST -> Place.FIRST;
      case STREAMS -> Place.STREAMS;
      case COUNTS -> Place.PAIRS;
    };
  }

  @Override
  public @Nullable ChannelPrefix channelPrefix() {
    return channels ? new ChannelPrefix(front.text(), front.glob()) : null;
  }
}
