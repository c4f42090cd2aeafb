package io.penstock.core.mirror;

import java.util.Arrays;
import java.util.List;

/** {@code SET} with options: without its condition, if that held. */
enum SetRewrite implements Rewrite {
  INSTANCE;

  /** The call's options, from argument 3 on. */
  private static final class Options {

    int relative; // index of EX or PX
    int absolute; // index of EXAT or PXAT
    boolean keepsDeadline;
    boolean returnsOld;
    int condition; // index of NX, XX or IFEQ
    boolean unclear; // a condition of which the old value does not say whether it held
    boolean unknown; // an option that is not known

    Options(Call call) {
      int i = 3;
      while (i < call.argc()) {
        i += read(call, i);
      }
    }

    private int read(Call call, int i) {
      if (Deadline.isRelative(call, i)) {
        relative = i;
        return 2;
      }
      if (Deadline.isAbsolute(call, i)) {
        absolute = i;
        return 2;
      }
      if (call.isAny(i, "nx", "xx")) {
        condition = i;
      } else if (call.is(i, "ifeq")) {
        condition = i;
        return 2;
      } else if (call.isAny(i, "ifne", "ifdeq", "ifdne")) {
        condition = i;
        unclear = true;
        return 2;
      } else if (call.is(i, "get")) {
        returnsOld = true;
      } else if (call.is(i, "keepttl")) {
        keepsDeadline = true;
      } else {
        unknown = true;
      }
      return 1;
    }
  }

  @Override
  public List<CopyRequest> questions(Call call) {
    return new Options(call).relative > 0 ? Deadline.question(call.key()) : List.of();
  }

  @Override
  public Effect effect(Call call, Reply reply, List<Reply> answers) {
    var options = new Options(call);
    if (options.unknown || (options.returnsOld && options.unclear)) {
      return call.copyAgain();
    }
    return isDone(call, options, reply) ? set(call, options, answers) : Effect.NOTHING;
  }

  private static boolean isDone(Call call, Options options, Reply reply) {
    int condition = options.condition;
    if (!options.returnsOld) {
      return !reply.isNull();
    }
    if (condition == 0) {
      return true;
    }
    if (call.is(condition, "ifeq")) {
      return Arrays.equals(reply.content(), call.argument(condition + 1));
    }
    return reply.isNull() == call.is(condition, "nx");
  }

  private static Effect set(Call call, Options options, List<Reply> answers) {
    var set = CopyRequest.command("SET").all(call.range(1, 3));
    if (options.relative > 0) {
      return until(call, set, Deadline.of(answers));
    }
    if (options.absolute > 0) {
      set.all(call.range(options.absolute, options.absolute + 2));
    } else if (options.keepsDeadline) {
      set.text("KEEPTTL");
    }
    return set.effect();
  }

  /** Returns the request with its deadline, or what else came of the keys of the call. */
  static Effect until(Call call, CopyRequest.Builder set, long deadline) {
    if (deadline == Deadline.GONE) {
      return Deadline.delete(call.keys());
    }
    return deadline >= 0 ? set.text("PXAT").number(deadline).effect() : call.copyAgain();
  }
}
