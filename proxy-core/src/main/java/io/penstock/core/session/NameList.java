package io.penstock.core.session;

import io.penstock.core.pubsub.Name;
import io.penstock.core.resp.RequestFrame;
import java.util.ArrayList;
import java.util.List;

/** The names that a request gives behind its command. */
final class NameList {

  private NameList() {}

  /** Copies them, in order. */
  static List<Name> of(RequestFrame frame) {
    List<Name> names = new ArrayList<>(frame.argc() - 1);
    for (int i = 1; i < frame.argc(); i++) {
      names.add(Name.copy(frame.buffer(), frame.offset(i), frame.length(i)));
    }
    return names;
  }

  /** Whether all lie in one slot. */
  static boolean isOfOneSlot(List<Name> names) {
    for (Name name : names) {
      if (name.slot() != names.getFirst().slot()) {
        return false;
      }
    }
    return true;
  }
}
