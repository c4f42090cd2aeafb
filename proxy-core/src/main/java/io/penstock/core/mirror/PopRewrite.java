package io.penstock.core.mirror;

import io.penstock.core.spec.Mirrored;
import java.util.ArrayList;
import java.util.List;

/** Calls that pop elements of one of several keys, or wait for one, or choose at random. */
enum PopRewrite implements Rewrite {

  /** {@code SPOP}: null, a member, or an array of members. */
  REMOVE_MEMBERS {
    @Override
    Effect of(Call call, Reply reply) {
      byte[] member = reply.content();
      return removed("SREM", call.key(), member == null ? reply.contents() : List.of(member));
    }
  },

  /** {@code BLPOP}: a key and an element. */
  POP_FIRST {
    @Override
    Effect of(Call call, Reply reply) {
      return popped(call, "LPOP", reply.elements(), 1);
    }
  },

  /** {@code BRPOP}: a key and an element. */
  POP_LAST {
    @Override
    Effect of(Call call, Reply reply) {
      return popped(call, "RPOP", reply.elements(), 1);
    }
  },

  /** {@code LMPOP}, {@code BLMPOP}: a key and an array of elements. */
  POP_ELEMENTS {
    @Override
    Effect of(Call call, Reply reply) {
      List<Reply> parts = reply.elements();
      int count = parts.size() == 2 ? parts.get(1).elements().size() : 0;
      boolean first = call.is(call.behindKeys(), "left");
      return popped(call, first ? "LPOP" : "RPOP", parts, count);
    }
  },

  /** {@code BZPOPMIN}, {@code BZPOPMAX}: a key, a member and its score. */
  REMOVE_SCORED {
    @Override
    Effect of(Call call, Reply reply) {
      List<byte[]> parts = reply.contents();
      return parts.size() < 2
          ? call.copyAgain()
          : CopyRequest.command("ZREM").all(parts.subList(0, 2)).effect();
    }
  },

  /** {@code ZMPOP}, {@code BZMPOP}: a key, and an array of members with their scores. */
  REMOVE_ALL_SCORED {
    @Override
    Effect of(Call call, Reply reply) {
      List<Reply> parts = reply.elements();
      List<byte[]> members = new ArrayList<>();
      for (Reply pair : parts.size() == 2 ? parts.get(1).elements() : List.<Reply>of()) {
        List<byte[]> member = pair.contents();
        if (member.isEmpty()) {
          return call.copyAgain();
        }
        members.add(member.getFirst());
      }
      byte[] key = parts.isEmpty() ? null : parts.getFirst().content();
      return key == null || members.isEmpty() ? call.copyAgain() : removed("ZREM", key, members);
    }
  },

  /** {@code BLMOVE source destination from to timeout}. */
  MOVE_ELEMENT {
    @Override
    public boolean needsWholeReply() {
      return false;
    }

    @Override
    Effect of(Call call, Reply reply) {
      return CopyRequest.command("LMOVE").all(call.range(1, 5)).effect();
    }
  },

  /** {@code BRPOPLPUSH source destination timeout}. */
  MOVE_LAST_ELEMENT {
    @Override
    public boolean needsWholeReply() {
      return false;
    }

    @Override
    Effect of(Call call, Reply reply) {
      return CopyRequest.command("RPOPLPUSH").all(call.range(1, 3)).effect();
    }
  };

  /** A server accepts a million arguments in a request. */
  private static final int MOST_ARGUMENTS = 100_000;

  @Override
  public Effect effect(Call call, Reply reply, List<Reply> answers) {
    return reply.isNull() ? Effect.NOTHING : of(call, reply);
  }

  /** Returns the effect of a reply that is not null. */
  abstract Effect of(Call call, Reply reply);

  private static Effect removed(String command, byte[] key, List<byte[]> members) {
    List<CopyRequest> requests = new ArrayList<>();
    for (int at = 0; at < members.size(); at += MOST_ARGUMENTS) {
      List<byte[]> part = members.subList(at, Math.min(members.size(), at + MOST_ARGUMENTS));
      requests.add(CopyRequest.command(command).add(key).all(part).build());
    }
    return Effect.Instead.of(requests);
  }

  private static Effect popped(Call call, String command, List<Reply> parts, int count) {
    byte[] key = parts.isEmpty() ? null : parts.getFirst().content();
    return key == null || count == 0
        ? call.copyAgain()
        : CopyRequest.command(command).add(key).number(count).effect();
  }

  static Rewrite of(Mirrored mirrored) {
    return valueOf(mirrored.name());
  }
}
