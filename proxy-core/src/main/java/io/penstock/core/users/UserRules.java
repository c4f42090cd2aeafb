package io.penstock.core.users;

import io.netty.buffer.ByteBuf;
import io.penstock.core.acl.AclWords;
import io.penstock.core.acl.Denial;
import io.penstock.core.acl.Permissions;
import io.penstock.core.client.ChannelPrefix;
import io.penstock.core.client.RequestRules;
import io.penstock.core.client.User;
import io.penstock.core.command.Command;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.prefix.KeyPrefix;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.PendingBytes;
import io.penstock.core.reply.ReplyRewriter;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.CommandSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rules about the requests of one client, by the user that it is authenticated as. Confined to
 * the client's loop; replaced when the user or the command table changes.
 */
public final class UserRules implements RequestRules {

  private static final byte[] NO_SCRIPTS =
      ErrorReplies.encode(
          "NOPERM scripts run with this proxy's rights on the servers:"
              + " a user may call them only if it has the rights for all keys");

  private final KnownUser user;
  private final Permissions permissions;
  private final @Nullable UserLimits limits;
  private final @Nullable KeyPrefix prefix;
  private final ServerFacts servers;
  private final Owner owner;
  private boolean counted; // the last request, by the limits

  /** The client whose requests are judged. */
  public interface Owner {

    /** Returns whether the client has called {@code MULTI}. */
    boolean isInTransaction();

    /** Adds an event to {@code ACL LOG}, with the client's description. */
    void log(String reason, String object, String user);

    /**
     * The user's rules do not permit a request.
     *
     * @param command the name of the command, or empty
     */
    void denied(KnownUser user, Denial.Reason reason, String command);
  }

  private UserRules(KnownUser user, Permissions permissions, ServerFacts servers, Owner owner) {
    this.user = user;
    this.permissions = permissions;
    this.limits = user.limits();
    this.prefix = user.prefix();
    this.servers = servers;
    this.owner = owner;
  }

  /**
   * Returns what a client is authenticated as: without rules, if the user may do everything and has
   * no limits and no key prefix.
   *
   * @param servers with the command table of the client's requests
   */
  public static User of(KnownUser user, ServerFacts servers, Owner owner) {
    Permissions permissions = user.permissions(servers.commands());
    boolean free =
        permissions.permitsEverything() && user.limits() == null && user.prefix() == null;
    return new User(user.name(), free ? null : new UserRules(user, permissions, servers, owner));
  }

  @Override
  public byte @Nullable [] rejection(Command request) {
    counted = false;
    byte[] denial = denial(request);
    if (denial != null) {
      return denial;
    }
    UserLimits limit = isAboutConnection(request) ? null : limits;
    long bytes = limit == null ? 0 : (long) request.frame().end() - request.frame().start();
    byte[] excess = limit == null ? null : limit.begin(bytes, System.nanoTime());
    if (excess != null) {
      return excess;
    }
    byte[] refusal = prefix == null ? null : prefix.rejection(request);
    if (refusal != null && limit != null) {
      limit.end(bytes);
    }
    counted = refusal == null && limit != null;
    return refusal;
  }

  private byte @Nullable [] denial(Command request) {
    Denial denial = permissions.denial(request);
    if (denial != null) {
      log(denial, request);
      return ErrorReplies.encode(AclWords.error(denial, user.name(), servers));
    }
    if (isCallOfScript(request) && !permissions.permitsWithAllKeys(request)) {
      owner.log("command", wireName(request), user.name());
      owner.denied(user, Denial.Reason.COMMAND, wireName(request));
      return NO_SCRIPTS;
    }
    return null;
  }

  @Override
  public long waitNanos(Command request, boolean again) {
    UserLimits limit = isAboutConnection(request) ? null : limits;
    return limit == null ? 0 : limit.waitNanos(again, System.nanoTime());
  }

  @Override
  public @Nullable PendingBytes pendingBytes() {
    UserLimits limit = limits;
    return counted && limit != null && limit.countsBytes() ? limit : null;
  }

  /** Whether it is about who the client is, or its end, which no limit concerns. */
  private static boolean isAboutConnection(Command request) {
    CommandSpec spec = request.spec();
    return spec != null && spec.has(CommandFlag.NO_AUTH);
  }

  @Override
  public @Nullable ByteBuf rewrite(Command request) {
    return prefix == null ? null : prefix.rewrite(request);
  }

  @Override
  public @Nullable ReplyRewriter rewriterFor(CommandSpec asked) {
    return prefix == null ? null : prefix.rewriterFor(asked);
  }

  @Override
  public @Nullable ReplyRewriter rewriterFor(List<@Nullable CommandSpec> asked) {
    return prefix == null ? null : prefix.rewriterFor(asked);
  }

  @Override
  public @Nullable ChannelPrefix channelPrefix() {
    return prefix == null ? null : prefix.channelPrefix();
  }

  /**
   * Whether it calls a script or function, which may name any key. The node runs it as Penstock's
   * own user.
   */
  private static boolean isCallOfScript(Command request) {
    CommandSpec spec = request.spec();
    return spec != null && spec.isScript() && spec.hasKeys() && spec.acceptsArity(request.argc());
  }

  private static String wireName(Command request) {
    CommandSpec spec = request.spec();
    return spec == null ? "" : spec.wireName();
  }

  private void log(Denial denial, Command request) {
    owner.denied(user, denial.reason(), wireName(request));
    switch (denial.reason()) {
      case COMMAND -> owner.log("command", denial.object(), user.name());
      case KEY -> owner.log("key", denial.object(), user.name());
      case CHANNEL -> owner.log("channel", denial.object(), user.name());
      case SORT_OPTION -> {} // an error of the command itself, on a server
    }
  }

  @Override
  public byte @Nullable [] rejectionOfWaiting(Command request) {
    return denial(request);
  }

  @Override
  public byte @Nullable [] rejectionOfQueued(Command request) {
    Denial denial = permissions.denial(request);
    if (denial == null) {
      return isCallOfScript(request) && !permissions.permitsWithAllKeys(request)
          ? NO_SCRIPTS
          : null;
    }
    log(denial, request);
    return ErrorReplies.encode(AclWords.errorAtExec(denial));
  }
}
