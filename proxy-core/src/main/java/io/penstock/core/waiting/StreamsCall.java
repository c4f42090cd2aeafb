package io.penstock.core.waiting;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.client.Client;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.ServerWords;
import io.penstock.core.forward.Part;
import io.penstock.core.forward.PartSet;
import io.penstock.core.observe.Outcome;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.steps.Replies;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads several streams: {@code XREAD} and {@code XREADGROUP}. Each stream is read at its node, all
 * at the same time, and what they have is one reply in the order of the keys.
 *
 * <p>A call of a group first has the nodes check all keys, so that an error of one key keeps the
 * others unread. A call that may block finds the ids that {@code $} and {@code +} stand for once,
 * when it begins.
 */
final class StreamsCall extends WaitingCall implements PartSet.Listener {

  private static final byte[] BEYOND_THE_CLOCK = ErrorReplies.encode("ERR timeout is out of range");
  private static final String FIRST_ID = "0-0";

  private final WaitingContext context;
  private final Client client;
  private final CommandTable commands;
  private final StreamsRequest streams;
  private final String[] ids; // of the streams: what is behind them is read
  private final String[] last; // ids of the streams' last entries, as far as they are known
  private @Nullable List<WaitedKey> keys; // when it waits
  private @Nullable PartSet parts;
  private boolean preparing; // else reading
  private int checked; // parts that check, before those that find the last entries

  StreamsCall(WaitingContext context, ReplySlot whole, StreamsRequest streams, long now) {
    super(context, whole, streams.spec(), streams.frame(), streams.timeout(now));
    this.context = context;
    this.client = context.forward().clientContext().client();
    this.commands = context.forward().clientContext().reader().servers().commands();
    this.streams = streams;
    this.ids = streams.streams().stream().map(StreamsRequest.Stream::id).toArray(String[]::new);
    this.last = new String[ids.length];
    Arrays.fill(last, FIRST_ID);
  }

  @Override
  protected List<WaitedKey> keys() {
    List<WaitedKey> known = keys;
    if (known == null) {
      known = waitedKeys();
      keys = known;
    }
    return known;
  }

  private List<WaitedKey> waitedKeys() {
    ConnectionKey connections = client.connections().forMaster();
    List<WaitedKey> waited = new ArrayList<>();
    for (int i = 0; i < ids.length; i++) {
      StreamsRequest.Stream stream = streams.streams().get(i);
      if (streams.hasGroup()) {
        waited.add(key(WaitedKey.Kind.GROUP, connections, stream, streams.group()));
        waited.add(key(WaitedKey.Kind.END_OF_GROUP, connections, stream, streams.group()));
      } else {
        waited.add(key(WaitedKey.Kind.STREAM, connections, stream, ids[i]));
      }
    }
    return waited.stream().distinct().toList();
  }

  private static WaitedKey key(
      WaitedKey.Kind kind, ConnectionKey connections, StreamsRequest.Stream stream, String detail) {
    return new WaitedKey(kind, connections, stream.partition(), stream.key(), detail);
  }

  @Override
  protected String position(WaitedKey key) {
    for (int i = 0; i < ids.length; i++) {
      if (streams.streams().get(i).key().equals(key.key())) {
        return last[i];
      }
    }
    return FIRST_ID;
  }

  void start() {
    begin();
    if (streams.hasTimeoutBeyondTheClock()
        && ServerWords.limitsTimeoutOfWait(context.forward().clientContext().reader().servers())) {
      answer(BEYOND_THE_CLOCK, Outcome.REJECTED);
    } else {
      prepareOrRead();
    }
  }

  @Override
  protected void onWoken(WaitedKey key) {
    prepareOrRead();
  }

  private void prepareOrRead() {
    List<List<String>> requests = new ArrayList<>();
    List<Integer> partitions = new ArrayList<>();
    if (streams.hasGroup()) {
      for (StreamsRequest.Stream stream : streams.streams()) {
        requests.add(streams.check(stream));
        partitions.add(stream.partition());
      }
    }
    checked = requests.size();
    for (StreamsRequest.Stream stream : streams.streams()) {
      if (needsLast(stream)) {
        requests.add(StreamsRequest.lastEntry(stream));
        partitions.add(stream.partition());
      }
    }
    if (requests.isEmpty()) {
      read();
    } else {
      preparing = true;
      send(requests, partitions);
    }
  }

  private boolean needsLast(StreamsRequest.Stream stream) {
    return mayBlock()
        && (streams.hasGroup() ? stream.isNew() : stream.isRelative() && !hasWaited());
  }

  private void read() {
    preparing = false;
    List<List<String>> requests = new ArrayList<>();
    List<Integer> partitions = new ArrayList<>();
    for (int i = 0; i < ids.length; i++) {
      StreamsRequest.Stream stream = streams.streams().get(i);
      requests.add(streams.of(stream, ids[i]));
      partitions.add(stream.partition());
    }
    send(requests, partitions);
  }

  private void send(List<List<String>> requests, List<Integer> partitions) {
    var set = new PartSet(context.forward(), whole(), requests.size(), context.limit(), this);
    parts = set;
    for (int i = 0; i < requests.size(); i++) {
      List<String> request = requests.get(i);
      CommandSpec command =
          preparing && i >= checked ? commands.byName(request.getFirst()) : spec();
      byte[] bytes = WireRequest.of(request);
      var part = new Part(set);
      part.setRequestBytes(new SharedBuffer(Unpooled.wrappedBuffer(bytes)), 0, bytes.length);
      part.prepare(command, partitions.get(i));
      context.blocking().backpressure().pauseIfBusy(set.send(part));
    }
  }

  @Override
  public void onReplies() {
    PartSet set = parts;
    if (set == null) {
      return;
    }
    parts = null;
    try {
      if (hasEnded()) {
        return;
      }
      if (set.isTooLarge()) {
        answer(ErrorReplies.MERGED_REPLY_TOO_LARGE, Outcome.OVERLOADED);
      } else if (preparing) {
        onPrepared(set);
      } else {
        onRead(set);
      }
    } finally {
      set.release();
    }
  }

  private void onPrepared(PartSet set) {
    List<ByteBuf> replies = List.of(set.replies());
    byte[] error = Replies.firstError(replies.subList(0, checked));
    if (error != null) {
      answer(error, set.outcome());
      return;
    }
    int next = checked;
    for (int i = 0; i < ids.length; i++) {
      StreamsRequest.Stream stream = streams.streams().get(i);
      if (needsLast(stream)) {
        last[i] = lastId(replies.get(next++));
        ids[i] = stream.id().equals("$") ? last[i] : ids[i];
      }
    }
    if (leavesToOthers()) {
      Arrays.fill(last, FIRST_ID); // what is there may be for this call, too
      await();
    } else {
      read();
    }
  }

  /** Returns whether other calls of the loop have waited for the group's entries for longer. */
  private boolean leavesToOthers() {
    return mayBlock()
        && streams.hasGroup()
        && !hasWaited()
        && streams.streams().stream().allMatch(StreamsRequest.Stream::isNew)
        && keys().stream()
            .filter(key -> key.kind() == WaitedKey.Kind.GROUP)
            .anyMatch(this::isBehindOthers);
  }

  private static String lastId(ByteBuf entries) {
    if (Replies.isError(entries)) {
      return FIRST_ID; // the read gets the error
    }
    List<ByteBuf> all = Replies.elements(entries);
    return all.isEmpty() ? FIRST_ID : Replies.content(Replies.elements(all.getFirst()).getFirst());
  }

  private void onRead(PartSet set) {
    List<ByteBuf> replies = List.of(set.replies());
    List<ByteBuf> found =
        replies.stream()
            .filter(reply -> !Replies.isError(reply))
            .filter(reply -> !ReplyStrings.isNil(reply, reply.readerIndex()))
            .toList();
    byte[] error = Replies.firstError(replies);
    boolean keepsWhatWasFound = streams.hasGroup() && !found.isEmpty(); // the group knows of it
    if (error != null && !keepsWhatWasFound) {
      answer(error, set.outcome());
    } else if (found.isEmpty()) {
      for (int i = 0; i < ids.length; i++) {
        ids[i] = ids[i].equals("+") ? last[i] : ids[i]; // there is none yet
      }
      await();
    } else {
      answerAll(found);
    }
  }

  /** Each reply is an array or a map of one stream; the client gets one of all of them. */
  private void answerAll(List<ByteBuf> found) {
    int size = found.stream().mapToInt(ByteBuf::readableBytes).sum();
    ByteBuf merged = ByteBufAllocator.DEFAULT.directBuffer(16 + size);
    try {
      boolean map = found.getFirst().getByte(found.getFirst().readerIndex()) == '%';
      var writer = new ReplyWriter(merged, map ? Protocol.RESP3 : Protocol.RESP2);
      if (map) {
        writer.map(found.size());
      } else {
        writer.array(found.size());
      }
      for (ByteBuf reply : found) {
        int from = reply.indexOf(reply.readerIndex(), reply.writerIndex(), (byte) '\n') + 1;
        merged.writeBytes(reply, from, reply.writerIndex() - from);
      }
      answer(merged, merged.readerIndex(), merged.writerIndex());
    } finally {
      merged.release();
    }
  }

  @Override
  public void onInternalError() {
    // The client is closed.
  }
}
