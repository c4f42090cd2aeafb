package io.penstock.core.mirror;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The declared keys of a script, copied again whole as they are directly behind it. What the script
 * did cannot be seen from outside, and may depend on the time or on chance; also if it ended with
 * an error, it may have written before.
 */
enum ScriptRewrite implements Rewrite {
  INSTANCE;

  /** Calls with more keys have them read later. */
  private static final int MOST_KEYS = 64;

  private static final int ANSWERS_PER_KEY = 2;

  @Override
  public List<CopyRequest> questions(Call call) {
    List<CopyRequest> questions = new ArrayList<>();
    for (byte[] key : keys(call)) {
      questions.add(KeyImage.value(key));
      questions.add(KeyImage.deadline(key));
    }
    return questions;
  }

  /** Returns the keys that are asked for, each once. */
  private static List<byte[]> keys(Call call) {
    List<byte[]> distinct = new ArrayList<>();
    for (byte[] key : call.keys()) {
      if (distinct.size() > MOST_KEYS) {
        return List.of();
      }
      if (distinct.stream().noneMatch(other -> Arrays.equals(other, key))) {
        distinct.add(key);
      }
    }
    return distinct.size() > MOST_KEYS ? List.of() : distinct;
  }

  @Override
  public boolean needsWholeReply() {
    return false;
  }

  @Override
  public boolean mayFailHalfway() {
    return true;
  }

  @Override
  public Effect effect(Call call, Reply reply, List<Reply> answers) {
    List<byte[]> keys = keys(call);
    if (keys.isEmpty() || answers.size() != ANSWERS_PER_KEY * keys.size()) {
      return call.copyAgain();
    }
    List<CopyRequest> requests = new ArrayList<>(keys.size());
    for (int i = 0; i < keys.size(); i++) {
      int at = ANSWERS_PER_KEY * i;
      requests.add(KeyImage.of(keys.get(i), answers.get(at), answers.get(at + 1)));
    }
    return Effect.Instead.of(requests);
  }
}
