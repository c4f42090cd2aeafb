package io.penstock.core.mirror;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Calls that give entries of streams to consumers of a group. */
enum GroupRewrite implements Rewrite {

  /**
   * {@code XCLAIM key group consumer min-idle id … [option …]}: the entries that were claimed. It
   * takes ids off the group whose entries are gone, and does not say which: the question is which
   * of the ids the group has afterwards.
   */
  CLAIM {
    @Override
    public List<CopyRequest> questions(Call call) {
      List<CopyRequest> questions = new ArrayList<>();
      for (int i = FIRST_ID; i < endOfIds(call); i++) {
        String id = call.text(i).contains("-") ? call.text(i) : call.text(i) + "-0";
        var pending = CopyRequest.command("XPENDING").all(call.range(1, 3));
        questions.add(pending.text(id).text(id).number(1).build());
      }
      return questions;
    }

    @Override
    public Effect effect(Call call, Reply reply, List<Reply> answers) {
      int options = endOfIds(call);
      List<byte[]> gone = new ArrayList<>();
      for (int i = FIRST_ID; i < options; i++) {
        int asked = i - FIRST_ID;
        if (asked >= answers.size() || !answers.get(asked).isAggregate()) {
          return call.copyAgain();
        }
        if (answers.get(asked).elements().isEmpty()) {
          gone.add(call.argument(i));
        }
      }
      List<byte[]> claimed = ids(reply);
      if (claimed.isEmpty() && call.find("lastid", options) < call.argc()) {
        return call.copyAgain();
      }
      return claimed(call, claimed, call.from(options), gone);
    }
  },

  /**
   * {@code XAUTOCLAIM key group consumer min-idle start [option …]}: a cursor, the entries that
   * were claimed, and the ids of those that are gone.
   */
  CLAIM_IDLE {
    @Override
    public Effect effect(Call call, Reply reply, List<Reply> answers) {
      List<Reply> parts = reply.elements();
      if (parts.size() < 3) {
        return call.copyAgain();
      }
      int justId = call.find("justid", 6);
      List<byte[]> options = call.range(justId, Math.min(justId + 1, call.argc()));
      return claimed(call, ids(parts.get(1)), options, parts.get(2).contents());
    }
  },

  /**
   * {@code XREADGROUP GROUP group consumer [option …] STREAMS key … id …}: for each stream with
   * entries its key and those. With {@code CLAIM} an entry that was pending before has the number
   * of its deliveries as its fourth element.
   */
  READ {
    @Override
    public Effect effect(Call call, Reply reply, List<Reply> answers) {
      List<CopyRequest> requests = new ArrayList<>();
      List<Reply> parts = reply.elements();
      int stream = 0; // among the call's
      for (int i = 0; i < parts.size(); i += reply.isMap() ? 2 : 1) {
        List<Reply> pair = reply.isMap() ? parts.subList(i, i + 2) : parts.get(i).elements();
        byte[] key = pair.size() < 2 ? null : pair.getFirst().content();
        int found = streamOf(call, key, stream);
        if (found < 0) {
          return call.copyAgain();
        }
        addNoEntries(call, stream, found, requests);
        addReads(call, found, pair.get(1).elements(), requests);
        stream = found + 1;
      }
      addNoEntries(call, stream, call.keys().size(), requests);
      if (new ReadOptions(call).group.isEmpty()) {
        return call.copyAgain();
      }
      return Effect.Instead.of(requests);
    }
  };

  private static final int FIRST_ID = 5; // of XCLAIM

  private static int endOfIds(Call call) {
    int i = FIRST_ID;
    while (i < call.argc() && call.argument(i).length > 0 && call.argument(i)[0] <= '9') {
      i++;
    }
    return i;
  }

  /** Returns the ids of entries, or ids as they are. */
  private static List<byte[]> ids(Reply entries) {
    List<byte[]> ids = new ArrayList<>();
    for (Reply entry : entries.elements()) {
      byte[] id = entry.isAggregate() ? entry.elements().getFirst().content() : entry.content();
      if (id != null) {
        ids.add(id);
      }
    }
    return ids;
  }

  private static Effect claimed(
      Call call, List<byte[]> ids, List<byte[]> options, List<byte[]> gone) {
    List<CopyRequest> requests = new ArrayList<>();
    if (ids.isEmpty()) {
      requests.add(noEntry(call.key(), call.range(2, 4)));
    } else {
      var claim = CopyRequest.command("XCLAIM").all(call.range(1, 4)).number(0);
      requests.add(claim.all(ids).all(options).build());
    }
    if (!gone.isEmpty()) {
      requests.add(CopyRequest.command("XACK").all(call.range(1, 3)).all(gone).build());
    }
    return Effect.Instead.of(requests);
  }

  /** Returns the index of a stream among those of the call, from one on; -1 if it is none. */
  private static int streamOf(Call call, byte @Nullable [] key, int from) {
    List<byte[]> keys = call.keys();
    for (int i = from; key != null && i < keys.size(); i++) {
      if (Arrays.equals(keys.get(i), key)) {
        return i;
      }
    }
    return -1;
  }

  private static void addNoEntries(Call call, int from, int to, List<CopyRequest> into) {
    for (int i = from; i < to; i++) {
      into.add(noEntry(call.keys().get(i), new ReadOptions(call).group));
    }
  }

  /**
   * Returns a claim of an entry that no stream has. Redis 7.0 creates a consumer with its first
   * entry, later servers also if there is none for it: this request makes a copy do the same.
   */
  private static CopyRequest noEntry(byte[] key, List<byte[]> group) {
    return CopyRequest.command("XCLAIM").add(key).all(group).number(0).text("0-0").build();
  }

  private static void addReads(Call call, int stream, List<Reply> entries, List<CopyRequest> into) {
    byte[] key = call.keys().get(stream);
    List<byte[]> claimed = new ArrayList<>();
    int read = 0;
    for (Reply entry : entries) {
      List<Reply> parts = entry.elements();
      byte[] id = parts.size() > 3 && parts.get(3).isPositive() ? parts.getFirst().content() : null;
      if (id != null) {
        claimed.add(id);
      } else {
        read++;
      }
    }
    var options = new ReadOptions(call);
    if (!claimed.isEmpty()) {
      var claim = CopyRequest.command("XCLAIM").add(key).all(options.group);
      into.add(claim.number(0).all(claimed).build());
    }
    if (entries.isEmpty()) { // of the consumer's own: it exists from now on, at any server
      var create = CopyRequest.command("XGROUP").text("CREATECONSUMER").add(key);
      into.add(create.all(options.group).build());
    }
    if (read > 0) {
      var again = CopyRequest.command("XREADGROUP").text("GROUP").all(options.group);
      again.text("COUNT").number(read);
      if (options.withoutAck) {
        again.text("NOACK");
      }
      byte[] from = call.argument(call.behindKeys() + stream);
      into.add(again.text("STREAMS").add(key).add(from).build());
    }
  }

  /** The options of {@code XREADGROUP} that matter, in any order before {@code STREAMS}. */
  private static final class ReadOptions {

    List<byte[]> group = List.of(); // its name and the consumer's
    boolean withoutAck;

    ReadOptions(Call call) {
      int i = 1;
      while (i < call.argc() && !call.is(i, "streams")) {
        if (call.is(i, "group") && i + 2 < call.argc()) {
          group = call.range(i + 1, i + 3);
          i += 3;
        } else if (call.is(i, "noack")) {
          withoutAck = true;
          i++;
        } else {
          i += 2;
        }
      }
    }
  }
}
