package io.penstock.core.mirror;

import java.util.List;

/**
 * The declared keys of a script, copied again whole. What the script did cannot be seen from
 * outside, and may depend on the time or on chance; also if it ended with an error, it may have
 * written before.
 */
enum ScriptRewrite implements Rewrite {
  INSTANCE;

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
    return call.copyAgain();
  }
}
