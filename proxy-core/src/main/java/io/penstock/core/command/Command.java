package io.penstock.core.command;

import io.penstock.core.resp.RequestFrame;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One request together with what is known about its command: a reusable holder, bound to a frame and a spec
 * once {@link CommandTable#find} has found it. Confined to one event loop; borrows the frame's buffer.
 */
public final class Command {

  /** What {@link #argAsLong} gives for an argument that is no integer as Redis reads them. */
  public static final long NOT_A_LONG = Ascii.NOT_A_LONG;

  private @Nullable RequestFrame frame;
  private @Nullable CommandSpec spec;

  /** Makes this the command that {@code newFrame} holds. */
  public void bind(RequestFrame newFrame, CommandSpec newSpec) {
    frame = newFrame;
    spec = newSpec;
  }

  /** The frame bound last. */
  public RequestFrame frame() {
    return Objects.requireNonNull(frame);
  }

  /** The spec bound last. */
  public CommandSpec spec() {
    return Objects.requireNonNull(spec);
  }

  /** Number of arguments, the name included. */
  public int argc() {
    return frame().argc();
  }

  /** Whether the spec is a container's because argument 1 names none of its subcommands. */
  public boolean isUnknownSubcommand() {
    return spec().isContainer() && argc() > 1;
  }

  /** Whether argument {@code i} is {@code text} (ASCII) in any case. */
  public boolean argEqualsIgnoreCase(int i, String text) {
    return Ascii.equalsIgnoreCase(frame(), i, text);
  }

  /** Argument {@code i} as an integer, read as strictly as Redis does; else {@link #NOT_A_LONG}. */
  public long argAsLong(int i) {
    return Ascii.parseLong(frame(), i);
  }

  /** As {@link CommandSpec#findKeys}. */
  public int findKeys(KeyPositions into) {
    return spec().findKeys(frame(), into);
  }
}
