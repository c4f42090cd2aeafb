package io.penstock.core.spec;

import io.penstock.core.resp.RequestFrame;
import java.util.List;

/**
 * One option of a command.
 *
 * @param keyword matched ignoring case
 * @param arguments how many arguments follow the keyword
 */
public record Option(String keyword, int arguments) {

  /**
   * The result of {@link #arguments(List, RequestFrame, int)} for an argument that is no option.
   */
  public static final int NONE = -1;

  /**
   * Returns how many arguments follow argument {@code i} if it is one of {@code options}; otherwise
   * {@link #NONE}.
   */
  public static int arguments(List<Option> options, RequestFrame frame, int i) {
    for (int o = 0; o < options.size(); o++) {
      Option option = options.get(o);
      if (Ascii.equalsIgnoreCase(frame, i, option.keyword)) {
        return option.arguments;
      }
    }
    return NONE;
  }
}
