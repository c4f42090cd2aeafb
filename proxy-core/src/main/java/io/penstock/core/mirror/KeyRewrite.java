package io.penstock.core.mirror;

import io.penstock.core.spec.Mirrored;
import java.util.List;

/** Calls that set, delete or restore keys, or change their deadlines. */
enum KeyRewrite implements Rewrite {

  /** {@code SETEX key seconds value}, {@code PSETEX}. */
  SET_FOR {
    @Override
    public List<CopyRequest> questions(Call call) {
      return Deadline.question(call.key());
    }

    @Override
    public Effect effect(Call call, Reply reply, List<Reply> answers) {
      var set = CopyRequest.command("SET").add(call.key()).add(call.argument(3));
      return SetRewrite.until(call, set, Deadline.of(answers));
    }
  },

  /** {@code MSETEX numkeys key value … [condition] [deadline]}: the reply is 1 or 0. */
  SET_ALL_FOR {
    @Override
    public List<CopyRequest> questions(Call call) {
      return relative(call) ? Deadline.question(call.key()) : List.of();
    }

    @Override
    public Effect effect(Call call, Reply reply, List<Reply> answers) {
      if (!reply.isPositive()) {
        return Effect.NOTHING;
      }
      int options = call.behindKeys() + 1;
      var set = CopyRequest.command("MSETEX").all(call.range(1, options));
      int i = options;
      while (i < call.argc()) {
        if (Deadline.isRelative(call, i)) {
          i++;
        } else if (!call.isAny(i, "nx", "xx")) {
          set.add(call.argument(i));
        }
        i++;
      }
      return relative(call) ? SetRewrite.until(call, set, Deadline.of(answers)) : set.effect();
    }

    private static boolean relative(Call call) {
      for (int i = call.behindKeys() + 1; i < call.argc(); i++) {
        if (Deadline.isRelative(call, i)) {
          return true;
        }
      }
      return false;
    }
  },

  /** {@code INCRBYFLOAT}, as servers send it to their replicas. */
  SET_RESULT {
    @Override
    public Effect effect(Call call, Reply reply, List<Reply> answers) {
      byte[] result = reply.content();
      return result == null
          ? call.copyAgain()
          : CopyRequest.command("SET").add(call.key()).add(result).text("KEEPTTL").effect();
    }
  },

  /** {@code GETDEL}: null, or the value. {@code DELEX}, {@code DELIFEQ}: 0 or 1. */
  DELETE {
    @Override
    public boolean needsWholeReply() {
      return false;
    }

    @Override
    public Effect effect(Call call, Reply reply, List<Reply> answers) {
      boolean none = reply.isNull() || reply.integer() == 0;
      return none ? Effect.NOTHING : Deadline.delete(call.keys());
    }
  },

  /** {@code EXPIRE}, {@code PEXPIRE}: 0 or 1. {@code GETEX}: null, or the value. */
  DEADLINE {
    @Override
    public boolean needsWholeReply() {
      return false;
    }

    @Override
    public List<CopyRequest> questions(Call call) {
      return Deadline.question(call.key());
    }

    @Override
    public Effect effect(Call call, Reply reply, List<Reply> answers) {
      if (reply.isNull() || reply.integer() == 0) {
        return Effect.NOTHING;
      }
      long deadline = Deadline.of(answers);
      if (deadline == Deadline.GONE) {
        return Deadline.delete(call.keys());
      }
      if (deadline == Deadline.NONE) {
        return CopyRequest.command("PERSIST").add(call.key()).effect();
      }
      return deadline < 0
          ? call.copyAgain()
          : CopyRequest.command("PEXPIREAT").add(call.key()).number(deadline).effect();
    }
  },

  /** {@code RESTORE key ttl value [option …]} with a duration. */
  RESTORE {
    @Override
    public List<CopyRequest> questions(Call call) {
      return Deadline.question(call.key());
    }

    @Override
    public Effect effect(Call call, Reply reply, List<Reply> answers) {
      long deadline = Deadline.of(answers);
      if (deadline < 0) {
        return deadline == Deadline.GONE ? Deadline.delete(call.keys()) : call.copyAgain();
      }
      var restore = CopyRequest.command("RESTORE").add(call.key()).number(deadline);
      restore.all(call.from(3)).text("ABSTTL");
      if (call.find("replace", 4) == call.argc()) {
        restore.text("REPLACE");
      }
      return restore.effect();
    }
  };

  static Rewrite of(Mirrored mirrored) {
    return valueOf(mirrored.name());
  }
}
