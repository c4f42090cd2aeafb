package io.penstock.core.session;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.core.acl.Denial;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.client.ChannelPrefix;
import io.penstock.core.client.ClientProfile;
import io.penstock.core.client.User;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.subscribe.Subscriptions;
import io.penstock.core.users.AclLog;
import io.penstock.core.users.AuditLog;
import io.penstock.core.users.ExcessRules;
import io.penstock.core.users.KnownUser;
import io.penstock.core.users.UserList;
import io.penstock.core.users.UserRules;
import io.penstock.core.users.UserSettings;
import io.penstock.core.users.UserUsage;
import io.penstock.core.users.Users;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The user of one client, and what becomes of the client when users change. Without {@link Users}
 * clients authenticate by the password of the listener, and their user has no rules. Confined to
 * the client's event loop.
 */
final class SessionUser implements UserRules.Owner {

  /** Longest call that is kept to check it again, in bytes. A longer one ends with a change. */
  private static final int LONGEST_NOTED = 64 * 1024;

  private static final byte[] NOT_KNOWN =
      ErrorReplies.encode("NOPERM the users of this proxy have changed since the call");

  private final Session session;
  private final SessionLoop loop;
  private final ClientProfile profile;
  private @Nullable Users users;
  private @Nullable UserList seen; // unless there are no users
  private @Nullable KnownUser known; // likewise
  private @Nullable UserUsage counted; // as a client of this user
  private boolean loggedIn; // or no login was needed when it connected
  private byte @Nullable [] blocking; // the last call that may block, as the client sent it
  private boolean subscribing; // when the user changed last

  SessionUser(Session session, SessionLoop loop, ClientProfile profile) {
    this.session = session;
    this.loop = loop;
    this.profile = profile;
    this.users = loop.users();
    reset();
  }

  /** Returns whether a client that has not authenticated must do it. */
  boolean isLoginRequired() {
    UserList list = seen;
    return list == null ? loop.passwords().required() : list.defaultUser().requiresLogin();
  }

  /** The state after connecting. */
  void reset() {
    Users all = users;
    if (all == null) {
      profile.user(User.DEFAULT);
      return;
    }
    UserList list = all.now();
    seen = list;
    loggedIn = !list.defaultUser().requiresLogin();
    become(list.defaultUser());
  }

  /**
   * The client has given the password of this user.
   *
   * @param password for nodes, if the user is passed through to them
   * @return false if the user has as many clients as it may; then nothing has changed
   */
  boolean login(KnownUser user, String password) {
    if (!count(user)) {
      return false;
    }
    boolean passed = user.settings().passThrough();
    session.sendAs(passed ? login(user.name(), password) : null);
    logIn(user, "password");
    return true;
  }

  /** Requests of clients are read as one character per byte. */
  private static ConnectionKey.Login login(String name, String password) {
    return new ConnectionKey.Login(
        new String(name.getBytes(ISO_8859_1), UTF_8),
        new String(password.getBytes(ISO_8859_1), UTF_8));
  }

  private void logIn(KnownUser user, String means) {
    loggedIn = true;
    become(user);
    user.usage().countLogin();
    AuditLog.AUDIT.loggedIn(session, user.name(), means);
  }

  /** Counts the client as one of its user, if the user may have one more. */
  private boolean count(KnownUser user) {
    UserUsage usage = user.usage();
    if (counted == usage) {
      return true;
    }
    if (!usage.connect(user.settings().maxConnections())) {
      usage.countRejection(UserUsage.Limit.CONNECTIONS);
      return false;
    }
    leave();
    counted = usage;
    return true;
  }

  /** The client is none of its user any more. */
  private void leave() {
    UserUsage usage = counted;
    if (usage != null) {
      counted = null;
      usage.disconnect();
    }
  }

  /** The client is closed. */
  void onClosed() {
    leave();
    known = null;
    seen = null;
    users = null;
  }

  /**
   * The client's certificate names a user. If there are users, it must be one of them that is
   * enabled, and that needs no password for nodes.
   *
   * @return whether it is authenticated
   */
  boolean login(String name) {
    Users all = users;
    if (all == null) {
      profile.user(User.named(name));
      return true;
    }
    KnownUser user = all.now().find(name);
    if (user == null || !user.acl().enabled() || user.settings().passThrough()) {
      AuditLog.AUDIT.loginFailed(session, name);
      return false;
    }
    logIn(user, "certificate");
    return true;
  }

  private void become(KnownUser user) {
    known = user;
    if (!loggedIn) { // it may do what needs no authentication, and counts for nobody
      leave();
    } else if (!count(user)) {
      leave();
      profile.user(new User(user.name(), new ExcessRules(this::enter)));
      return;
    }
    profile.user(UserRules.of(user, loop.servers(), this));
  }

  /** Another client of the user may have left. */
  private boolean enter() {
    KnownUser user = known;
    if (user == null || !count(user)) {
      return false;
    }
    become(user);
    return true;
  }

  /** The table of commands has changed. */
  void onNewTable() {
    KnownUser user = known;
    if (user != null) {
      become(user);
    }
  }

  /** Uses the users of changed settings. */
  void adopt(@Nullable Users next) {
    if (next == users) {
      follow();
      return;
    }
    Users before = users;
    users = next;
    if (next == null) {
      seen = null;
      known = null;
      leave();
      session.sendAs(null);
      profile.user(User.named(profile.user().name()));
      if (!loop.passwords().required()) {
        session.setAuthenticated();
      }
      return;
    }
    loggedIn = before == null ? session.isAuthenticated() : loggedIn;
    seen = next.now();
    adoptFrom(next.now());
  }

  private void adoptFrom(UserList list) {
    KnownUser before = known;
    KnownUser user = list.find(profile.user().name());
    if (user == null) {
      close();
      return;
    }
    become(user);
    recheck();
    checkNodes(user);
    checkPrefix(before == null ? UserSettings.NONE : before.settings(), user.settings());
    checkLogin(list);
  }

  /**
   * Applies what has changed about the users since this was called last. A client whose user was
   * deleted is closed, as in Redis.
   */
  void follow() {
    Users all = users;
    UserList latest = all == null ? null : all.now();
    if (latest == null || latest == seen || session.isClosed()) {
      return;
    }
    seen = latest;
    KnownUser before = Objects.requireNonNull(known);
    KnownUser after = latest.find(before.name());
    if (after == null || !after.isSameAs(before)) {
      close();
      return;
    }
    if (after != before) {
      become(after);
      recheck();
      checkNodes(after);
      checkPrefix(before.settings(), after.settings());
    }
    checkLogin(latest);
  }

  /** Whether requests are sent with the user's own rights may have changed. */
  private void checkNodes(KnownUser user) {
    boolean passed = profile.connections().login() != null;
    if (passed && !user.settings().passThrough()) {
      session.sendAs(null);
    } else if (!passed && user.settings().passThrough()) {
      session.closeNow("its user is passed through to nodes now, which need its password");
    }
  }

  /** Subscriptions, transactions and blocked calls of the client have the earlier prefix. */
  private void checkPrefix(UserSettings before, UserSettings after) {
    if (!hasSamePrefix(before.keyPrefix(), after.keyPrefix())) {
      session.closeNow("the key prefix of its user has changed");
    }
  }

  private static boolean hasSamePrefix(
      UserSettings.@Nullable Prefix one, UserSettings.@Nullable Prefix other) {
    if (one == null || other == null) {
      return one == null && other == null;
    }
    return one.text().equals(other.text()) && one.channels() == other.channels();
  }

  private void close() {
    if (!session.isEnding()) { // it may have deleted its own user, and get the reply
      session.closeNow("its user was deleted");
    }
  }

  /** Whether clients must authenticate may have changed. */
  private void checkLogin(UserList list) {
    if (!loggedIn && list.defaultUser().requiresLogin()) {
      session.requireLogin();
    } else {
      session.setAuthenticated();
    }
  }

  /** Returns whether there are users that may change. */
  boolean hasUsers() {
    return users != null;
  }

  /** Notes a request that may block, to check it again if the user changes. */
  void onExecute(@Nullable CommandSpec spec, RequestFrame original) {
    if (users != null && spec != null && spec.has(CommandFlag.ADMIN)) {
      AuditLog.AUDIT.administered(session, profile.user().name(), spec.wireName());
    }
    if (users != null && spec != null && spec.has(CommandFlag.BLOCKING)) {
      int length = original.end() - original.start();
      byte[] bytes = new byte[length > LONGEST_NOTED ? 0 : length];
      original.buffer().getBytes(original.start(), bytes);
      blocking = bytes;
    }
  }

  /** Ends what the client may not do any more. */
  private void recheck() {
    byte[] call = blocking;
    if (call != null) {
      if (session.intake().blocked().isWaiting()) {
        recheck(call);
      } else {
        blocking = null;
      }
    }
    recheckSubscriptions();
  }

  private void recheck(byte[] call) {
    var rules = profile.user().rules();
    if (rules == null) {
      return;
    }
    byte[] error =
        call.length == 0 ? NOT_KNOWN : rules.rejectionOfWaiting(loop.reader().read(call));
    if (error != null) {
      session.intake().blocked().deny(error);
    }
  }

  /**
   * A client is closed that has a subscription without the permission for it, as in Redis. A
   * subscription that has been requested, and is not confirmed, is checked later.
   */
  void recheckSubscriptions() {
    KnownUser user = known;
    if (user == null) {
      return;
    }
    var subscriptions = session.intake().subscriptions();
    subscribing = subscriptions.unansweredCalls() > 0;
    var permissions = user.permissions(loop.servers().commands());
    var rules = profile.user().rules();
    ChannelPrefix prefix = rules == null ? null : rules.channelPrefix();
    Subscriptions.NameTest test =
        prefix == null
            ? permissions::permitsChannel
            : (name, isPattern) ->
                permissions.permitsChannel(prefix.strip(name, isPattern), isPattern);
    if (!subscriptions.allMatch(test)) {
      session.closeNow("its user may not receive its messages any more");
    }
  }

  /** Called periodically. */
  void sweep() {
    if (subscribing) {
      recheckSubscriptions();
    }
  }

  /** Bytes on the heap. */
  long size() {
    byte[] call = blocking;
    return call == null ? 0 : call.length;
  }

  @Override
  public void denied(KnownUser user, Denial.Reason reason, String command) {
    user.usage().countDenial();
    AuditLog.AUDIT.denied(session, user.name(), reason, command);
  }

  /** A password was wrong, or its user does not exist or is disabled. */
  void loginFailed(String name) {
    UserList list = seen;
    KnownUser user = list == null ? null : list.find(name);
    if (user != null) {
      user.usage().countFailedLogin();
    }
    if (list != null) {
      AuditLog.AUDIT.loginFailed(session, name);
    }
  }

  @Override
  public boolean isInTransaction() {
    return session.intake().transactions().isOpen();
  }

  @Override
  public void log(String reason, String object, String user) {
    Users all = users;
    if (all != null) {
      var event = new AclLog.Event(reason, isInTransaction(), object, user, session.view().line());
      all.log().add(event, System.currentTimeMillis());
    }
  }
}
