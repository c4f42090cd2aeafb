package io.penstock.core.mirror;

import java.util.List;

/**
 * Calls that add entries to a stream, or trim it. What a server trims with {@code ~} depends on how
 * it stores the stream: the copies trim to the length that came out.
 */
enum StreamRewrite implements Rewrite {

  /** {@code XADD key [option …] id field value …}: the id, or null. */
  ADD {
    @Override
    public List<CopyRequest> questions(Call call) {
      return new Options(call, 2).approximate ? length(call) : List.of();
    }

    @Override
    public Effect effect(Call call, Reply reply, List<Reply> answers) {
      if (reply.isNull()) {
        return Effect.NOTHING;
      }
      byte[] id = reply.content();
      var options = new Options(call, 2);
      if (id == null || options.unclear || !isId(call, options.end)) {
        return call.copyAgain();
      }
      var add = CopyRequest.command("XADD").add(call.key());
      return options.copyTo(add, answers)
          ? add.add(id).all(call.from(options.end + 1)).effect()
          : call.copyAgain();
    }
  },

  /** {@code XTRIM key strategy [~] threshold [option …]}: the number of entries. */
  TRIM {
    @Override
    public List<CopyRequest> questions(Call call) {
      return length(call);
    }

    @Override
    public Effect effect(Call call, Reply reply, List<Reply> answers) {
      if (!reply.isPositive()) {
        return Effect.NOTHING;
      }
      var options = new Options(call, 2);
      var trim = CopyRequest.command("XTRIM").add(call.key());
      return !options.unclear && options.end == call.argc() && options.copyTo(trim, answers)
          ? trim.effect()
          : call.copyAgain();
    }
  };

  /** The options before the id, or up to the end of the call. */
  private static final class Options {

    private final Call call;
    private int trimming; // index of MAXLEN or MINID
    private int policy; // index of KEEPREF, DELREF or ACKED
    boolean approximate;
    boolean unclear; // a reply does not say what happened
    final int end;

    Options(Call call, int from) {
      this.call = call;
      int i = from;
      int length = 1;
      while (i < call.argc() && length > 0) {
        length = read(i);
        i += length;
      }
      end = i;
      unclear |= approximate && policy > 0 && call.is(policy, "acked");
    }

    /** Returns the number of arguments of an option; 0 if it is none. */
    private int read(int i) {
      if (call.isAny(i, "maxlen", "minid")) {
        trimming = i;
        approximate = call.is(i + 1, "~");
        return approximate || call.is(i + 1, "=") ? 3 : 2;
      }
      if (call.is(i, "limit")) {
        return 2;
      }
      if (call.isAny(i, "keepref", "delref", "acked")) {
        policy = i;
        return 1;
      }
      if (call.isAny(i, "idmp", "idmpauto")) {
        unclear = true; // the id may be that of an entry which was there before
        return call.is(i, "idmp") ? 3 : 2;
      }
      return call.is(i, "nomkstream") ? 1 : 0;
    }

    /** Appends the trimming that the primary did. Returns false if it is not known. */
    boolean copyTo(CopyRequest.Builder request, List<Reply> answers) {
      if (approximate) {
        long length = answers.isEmpty() ? Reply.NO_INTEGER : answers.getFirst().integer();
        request.text("MAXLEN").text("=").number(length);
        if (length < 0) {
          return false;
        }
      } else if (trimming > 0) {
        int threshold = call.is(trimming + 1, "=") ? trimming + 2 : trimming + 1;
        request.add(call.argument(trimming)).text("=").add(call.argument(threshold));
      }
      if (policy > 0) {
        request.add(call.argument(policy));
      }
      return true;
    }
  }

  /** Returns false for an option that is not known. */
  private static boolean isId(Call call, int i) {
    return i < call.argc() && call.argument(i).length > 0 && call.argument(i)[0] <= '9';
  }

  private static List<CopyRequest> length(Call call) {
    return List.of(CopyRequest.command("XLEN").add(call.key()).build());
  }
}
