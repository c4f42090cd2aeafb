package io.penstock.core.command;

import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.Ascii;
import java.util.List;

/**
 * One option of a command.
 *
 * @param keyword matched in any case
 * @param arguments how many arguments follow the keyword
 */
public record Option(String keyword, int arguments) {

  /** What {@link #arguments(List, RequestFrame, int)} gives for an argument that is no option. */
  static final int NONE = -1;

  /**
   * How many arguments follow argument {@code i}, if it is one of {@code options}; else {@link
   * #NONE}.
   */
  static int arguments(List<Option> options, RequestFrame frame, int i) {
    for (int o = 0; o < options.size(); o++) {
      Option option = options.get(o);
      if (Ascii.equalsIgnoreCase(frame, i, option.keyword)) {
        return option.arguments;
      }
    }
    return NONE;
  }
}
