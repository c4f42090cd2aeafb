package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.RequestFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A pattern of {@code SORT} that names keys: {@code w_*} or {@code o_*->field}. Texts are read as
 * servers do: up to the first zero byte when they look for {@code *} and {@code ->}. Immutable; its
 * characters are bytes.
 *
 * @param argument its index in the request
 * @param prefix before the first {@code *}
 * @param postfix between the {@code *} and the field
 * @param field of a hash; null for a string
 * @param constant whether it has no {@code *}, so that it names no key
 */
record SortPattern(
    int argument, String prefix, String postfix, @Nullable String field, boolean constant) {

  private static final List<String> REFUSALS =
      List.of(
          "-ERR BY option of SORT denied in Cluster", "-ERR GET option of SORT denied in Cluster");

  /** Returns the patterns of a request, in their order. Those that need no key are left out. */
  static List<SortPattern> of(RequestFrame frame) {
    List<SortPattern> found = new ArrayList<>();
    int i = 2;
    while (i < frame.argc()) {
      String word = frame.text(i).toLowerCase(Locale.ROOT);
      int left = frame.argc() - i - 1;
      boolean by = word.equals("by") && left >= 1;
      boolean get = word.equals("get") && left >= 1;
      if (by || get) {
        SortPattern pattern = parse(i + 1, frame.text(i + 1));
        boolean element = get && frame.text(i + 1).equals("#");
        if (!element && !(by && pattern.constant())) {
          found.add(pattern);
        }
      }
      i += 1 + arguments(word, by || get, left);
    }
    return found;
  }

  private static int arguments(String word, boolean pattern, int left) {
    if (word.equals("limit") && left >= 2) {
      return 2;
    }
    return pattern || (word.equals("store") && left >= 1) ? 1 : 0;
  }

  private static SortPattern parse(int argument, String text) {
    int end = ReplyStrings.cString(text).length();
    int star = text.indexOf('*');
    if (star < 0 || star >= end) {
      return new SortPattern(argument, "", "", null, true);
    }
    int arrow = text.indexOf("->", star + 1);
    boolean hasField = arrow >= 0 && arrow + 2 < end;
    return new SortPattern(
        argument,
        text.substring(0, star),
        text.substring(star + 1, hasField ? arrow : text.length()),
        hasField ? text.substring(arrow + 2) : null,
        false);
  }

  /** Returns the key that it names for an element. */
  String key(String element) {
    return prefix + element + postfix;
  }

  /** Returns the pattern of the same kind for keys that begin with {@code name}. */
  String with(String name) {
    if (constant) {
      return name;
    }
    return field == null ? name + "*" : name + "*->" + field;
  }

  /** Returns whether it is the error of a node in a cluster that does not accept patterns. */
  static boolean isRefused(ByteBuf error) {
    return REFUSALS.stream()
        .anyMatch(beginning ->
            ReplyStrings.startsWith(error, error.readerIndex(), error.writerIndex(), beginning));
  }
}
