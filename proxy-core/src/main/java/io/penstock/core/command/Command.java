package io.penstock.core.command;

import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.Ascii;
import io.penstock.core.spec.CommandSpec;
import org.jspecify.annotations.Nullable;

/**
 * A request and the spec of its command. A reusable holder over the frame that the scanner fills.
 * Confined to one event loop. Borrows the frame's buffer.
 */
public final class Command {

  /** The result of {@link #argAsLong} for an argument that Redis does not parse as an integer. */
  public static final long NOT_A_LONG = Ascii.NOT_A_LONG;

  private final RequestFrame frame;
  private CommandTable table;
  private @Nullable CommandSpec spec;

  /**
   * Creates a holder for one frame.
   *
   * @param frame filled again before each {@link #resolve()}
   */
  public Command(CommandTable table, RequestFrame frame) {
    this.table = table;
    this.frame = frame;
  }

  /** Uses another table from the next {@link #resolve()} on. */
  public void useTable(CommandTable newer) {
    table = newer;
  }

  /** Looks up the command of the frame. Returns null if the command is unknown. */
  public @Nullable CommandSpec resolve() {
    spec = table.find(frame);
    return spec;
  }

  /** Returns the result of the last {@link #resolve()}. */
  public @Nullable CommandSpec spec() {
    return spec;
  }

  /** Returns the bytes of the request. */
  public RequestFrame frame() {
    return frame;
  }

  /** Returns the number of arguments, including the name. */
  public int argc() {
    return frame.argc();
  }

  /** Returns whether the spec is a container's, because argument 1 is none of its subcommands. */
  public boolean isUnknownSubcommand() {
    return spec != null && spec.isContainer() && frame.argc() > 1;
  }

  /** Returns whether argument {@code i} equals {@code text} (ASCII), ignoring case. */
  public boolean argEqualsIgnoreCase(int i, String text) {
    return Ascii.equalsIgnoreCase(frame, i, text);
  }

  /**
   * Returns argument {@code i} as an integer, parsed as strictly as Redis does; otherwise {@link
   * #NOT_A_LONG}.
   */
  public long argAsLong(int i) {
    return Ascii.parseLong(frame, i);
  }
}
