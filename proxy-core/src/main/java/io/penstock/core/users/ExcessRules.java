package io.penstock.core.users;

import io.penstock.core.client.RequestRules;
import io.penstock.core.command.Command;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.CommandSpec;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The rules about a client whose user has as many clients as it may without this one: its requests
 * are rejected until another one has left. Confined to the client's loop.
 */
public final class ExcessRules implements RequestRules {

  private final BooleanSupplier enter;

  /**
   * @param enter counts the client as one of its user and gives it the rules of that one, if there
   *     is room; returns whether there was
   */
  public ExcessRules(BooleanSupplier enter) {
    this.enter = enter;
  }

  /** A request for which there is room now is handled again, by the rules of the user. */
  @Override
  public long waitNanos(Command request, boolean again) {
    return !isAboutConnection(request) && enter.getAsBoolean() ? 1 : 0;
  }

  @Override
  public byte @Nullable [] rejection(Command request) {
    return isAboutConnection(request) ? null : ErrorReplies.USER_CONNECTIONS;
  }

  private static boolean isAboutConnection(Command request) {
    CommandSpec spec = request.spec();
    return spec != null && spec.has(CommandFlag.NO_AUTH);
  }
}
