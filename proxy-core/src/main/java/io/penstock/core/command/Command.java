package io.penstock.core.command;

import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.Ascii;
import org.jspecify.annotations.Nullable;

/**
 * One request together with what is known about its command: a reusable holder over the frame that
 * the scanner fills. Confined to one event loop; borrows the frame's buffer.
 */
public final class Command {

  /** What {@link #argAsLong} gives for an argument that is no integer as Redis reads them. */
  public static final long NOT_A_LONG = Ascii.NOT_A_LONG;

  private final RequestFrame frame;
  private CommandTable table;
  private @Nullable CommandSpec spec;

  /**
   * A holder for one frame.
   *
   * @param frame filled anew before each {@link #resolve()}
   */
  public Command(CommandTable table, RequestFrame frame) {
    this.table = table;
    this.frame = frame;
  }

  /** Looks up in another table from the next {@link #resolve()} on. */
  public void useTable(CommandTable newer) {
    table = newer;
  }

  /** Looks up what the frame holds now; null when the command is unknown. */
  public @Nullable CommandSpec resolve() {
    spec = table.find(frame);
    return spec;
  }

  /** What {@link #resolve()} found last. */
  public @Nullable CommandSpec spec() {
    return spec;
  }

  /** The bytes of the request. */
  public RequestFrame frame() {
    return frame;
  }

  /** Number of arguments, the name included. */
  public int argc() {
    return frame.argc();
  }

  /** Whether the spec is a container's because argument 1 names none of its subcommands. */
  public boolean isUnknownSubcommand() {
    return spec != null && spec.isContainer() && frame.argc() > 1;
  }

  /** Whether argument {@code i} is {@code text} (ASCII) in any case. */
  public boolean argEqualsIgnoreCase(int i, String text) {
    return Ascii.equalsIgnoreCase(frame, i, text);
  }

  /** Argument {@code i} as an integer, read as strictly as Redis does; else {@link #NOT_A_LONG}. */
  public long argAsLong(int i) {
    return Ascii.parseLong(frame, i);
  }
}
