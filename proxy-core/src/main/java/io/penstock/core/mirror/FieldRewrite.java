package io.penstock.core.mirror;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Calls about fields of hashes. Their fields follow the word {@code FIELDS} and a number; what is
 * before it, behind the key, are durations and conditions.
 */
enum FieldRewrite implements Rewrite {

  /** {@code HINCRBYFLOAT}, where fields have no deadlines. */
  RESULT {
    @Override
    public Effect effect(Call call, Reply reply, List<Reply> answers) {
      byte[] result = reply.content();
      return result == null
          ? call.copyAgain()
          : CopyRequest.command("HSET").all(call.range(1, 3)).add(result).effect();
    }
  },

  /** {@code HINCRBYFLOAT}, where a field may have a deadline, which it keeps. */
  KEEP_RESULT {
    @Override
    public Effect effect(Call call, Reply reply, List<Reply> answers) {
      byte[] result = reply.content();
      if (result == null) {
        return call.copyAgain();
      }
      return CopyRequest.command("HSETEX")
          .add(call.key())
          .text("KEEPTTL")
          .text("FIELDS")
          .number(1)
          .add(call.argument(2))
          .add(result)
          .effect();
    }
  },

  /**
   * {@code HEXPIRE}, {@code HPEXPIRE}: for each field 1 if it has the deadline, 2 if it is gone.
   */
  DEADLINE {
    @Override
    public List<CopyRequest> questions(Call call) {
      return new Fields(call, 1).question();
    }

    @Override
    public Effect effect(Call call, Reply reply, List<Reply> answers) {
      return Changes.of(call, answers, reply, Reply::isPositive);
    }
  },

  /** {@code HGETEX}: for each field null if it is not there. */
  READ_DEADLINE {
    @Override
    public List<CopyRequest> questions(Call call) {
      var fields = new Fields(call, 1);
      return fields.hasDeadline() ? fields.question() : List.of();
    }

    @Override
    public Effect effect(Call call, Reply reply, List<Reply> answers) {
      var fields = new Fields(call, 1);
      if (fields.options.isEmpty() || reply.isNull()) {
        return Effect.NOTHING;
      }
      if (!fields.hasDeadline()) {
        boolean persist = fields.options.size() == 1 && call.is(fields.options.get(0), "persist");
        if (!persist) {
          return call.copyAgain();
        }
        return fields.appendTo(CopyRequest.command("HPERSIST").add(call.key())).effect();
      }
      return Changes.of(call, answers, reply, value -> !value.isNull());
    }
  },

  /** {@code HSETEX key [condition] [deadline] FIELDS n field value …}: the reply is 1 or 0. */
  SET_FOR {
    @Override
    public List<CopyRequest> questions(Call call) {
      var fields = new Fields(call, 2);
      return fields.hasDuration() ? fields.question() : List.of();
    }

    @Override
    public Effect effect(Call call, Reply reply, List<Reply> answers) {
      if (!reply.isPositive()) {
        return Effect.NOTHING;
      }
      var fields = new Fields(call, 2);
      var set = CopyRequest.command("HSETEX").add(call.key());
      for (int option : fields.options) {
        boolean duration = Deadline.isRelative(call, option);
        if (!duration
            && !Deadline.isRelative(call, option - 1)
            && !call.isAny(option, "fnx", "fxx", "nx", "xx")) {
          set.add(call.argument(option));
        }
        if (duration) {
          long deadline = answer(answers, 0);
          if (deadline < 0) {
            return call.copyAgain();
          }
          set.text("PXAT").number(deadline);
        }
      }
      return fields.appendTo(set).effect();
    }
  };

  /** The fields of a call, and the options that stand before or behind them. */
  private static final class Fields {

    final List<Integer> options = new ArrayList<>(); // their indexes
    private final Call call;
    private final int word; // index of FIELDS
    private final int step; // 2 if each field has a value
    private final int end;

    Fields(Call call, int step) {
      this.call = call;
      this.step = step;
      word = call.find("fields", 2);
      long count = call.number(word + 1);
      end = Math.clamp(word + 2 + count * step, 2, call.argc());
      for (int i = 2; i < call.argc(); i++) {
        if (i < word || i >= end) {
          options.add(i);
        }
      }
    }

    private int size() {
      return Math.max(0, (end - word - 2) / step);
    }

    byte[] get(int i) {
      return call.argument(word + 2 + i * step);
    }

    boolean hasDuration() {
      return options.stream().anyMatch(option -> Deadline.isRelative(call, option));
    }

    boolean hasDeadline() {
      return options.stream()
          .anyMatch(
              option -> Deadline.isRelative(call, option) || Deadline.isAbsolute(call, option));
    }

    /** Appends {@code FIELDS}, the number, the fields, and their values if they have any. */
    CopyRequest.Builder appendTo(CopyRequest.Builder request) {
      return request.all(call.range(Math.min(word, end), end));
    }

    /** Returns the question when each field expires. */
    List<CopyRequest> question() {
      var question = CopyRequest.command("HPEXPIRETIME").add(call.key());
      question.text("FIELDS").number(size());
      for (int i = 0; i < size(); i++) {
        question.add(get(i));
      }
      return List.of(question.build());
    }
  }

  /** The fields of one call that have another deadline now, or are gone. */
  private static final class Changes {

    private final Call call;
    private final List<Reply> answers;
    private final Fields fields;
    private final List<byte[]> kept = new ArrayList<>();
    private final List<byte[]> gone = new ArrayList<>();
    private long deadline; // one for all
    private boolean unclear;

    Changes(Call call, List<Reply> answers) {
      this.call = call;
      this.answers = answers;
      fields = new Fields(call, 1);
    }

    /** Returns the effect of a call that has changed the fields with such elements of its reply. */
    static Effect of(Call call, List<Reply> answers, Reply reply, Predicate<Reply> isChanged) {
      List<Reply> elements = reply.elements();
      var changes = new Changes(call, answers);
      for (int i = 0; i < elements.size(); i++) {
        if (isChanged.test(elements.get(i))) {
          changes.add(i);
        }
      }
      return changes.effect();
    }

    /** Adds the field at a place of the reply. */
    void add(int i) {
      long answer = answer(answers, i);
      if (answer >= 0) {
        deadline = answer;
        kept.add(fields.get(i));
      } else if (answer == Deadline.GONE) {
        gone.add(fields.get(i));
      } else {
        unclear = true;
      }
    }

    Effect effect() {
      if (unclear) {
        return call.copyAgain();
      }
      List<CopyRequest> requests = new ArrayList<>();
      if (!kept.isEmpty()) {
        var expire = CopyRequest.command("HPEXPIREAT").add(call.key()).number(deadline);
        requests.add(expire.text("FIELDS").number(kept.size()).all(kept).build());
      }
      if (!gone.isEmpty()) {
        requests.add(CopyRequest.command("HDEL").add(call.key()).all(gone).build());
      }
      return Effect.Instead.of(requests);
    }
  }

  /** Returns the deadline of a field in question, as {@link Deadline#of} returns a key's. */
  private static long answer(List<Reply> answers, int i) {
    List<Reply> deadlines = answers.isEmpty() ? List.of() : answers.getFirst().elements();
    return i < deadlines.size() ? deadlines.get(i).integer() : Reply.NO_INTEGER;
  }
}
