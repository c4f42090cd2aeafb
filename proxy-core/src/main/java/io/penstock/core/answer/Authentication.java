package io.penstock.core.answer;

import io.netty.buffer.ByteBuf;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientProfile;
import io.penstock.core.client.RequestReader;
import io.penstock.core.client.User;
import io.penstock.core.command.Command;
import io.penstock.core.command.HelloFacts;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.command.ServerWords;
import io.penstock.core.limit.Allowance;
import io.penstock.core.limit.PasswordGuesses;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.LocalCommand;
import io.penstock.core.transport.Loop;
import io.penstock.core.users.KnownUser;
import io.penstock.core.users.Users;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * {@code AUTH} and {@code HELLO}, as Redis's acl.c and networking.c answer them. After several
 * failures on a connection, its next request is delayed; after many of an address, attempts of all
 * its connections wait ({@link PasswordGuesses}).
 */
public final class Authentication {

  private static final String DEFAULT_USER = User.DEFAULT.name();

  private static final String WRONG =
      "WRONGPASS invalid username-password pair or user is disabled.";
  private static final String TOO_MANY = ErrorReplies.line(ErrorReplies.USER_CONNECTIONS);
  private static final String NO_PASSWORD =
      "ERR AUTH <password> called without any password configured for the default user."
          + " Are you sure your configuration is correct?";

  /** Failures in a row without a delay: a client that mistyped its password is not slowed down. */
  static final int FREE_FAILURES = 3;

  private static final long FIRST_DELAY_NANOS = Duration.ofMillis(10).toNanos();
  private static final long LONGEST_DELAY_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int DOUBLINGS = 7;

  private final AnswerLoop answerLoop;
  private final AnswerLoop.Access access;
  private final @Nullable Users users;
  private final PasswordGuesses guesses;
  private final Client client;
  private final Allowance account;
  private final ClientProfile profile;
  private final SessionControl control;
  private final RequestReader reader;
  private final Loop loop;
  private int failures; // in a row
  private String failedUser = DEFAULT_USER; // the last one
  private boolean delayed; // the client's next requests wait
  private long delayedUntil; // if so
  private boolean waiting; // the attempt was delayed because of others of its address

  Authentication(AnswerContext parts) {
    this.answerLoop = parts.answerLoop();
    this.access = parts.answerLoop().access();
    this.users = access.users();
    this.guesses = parts.answerLoop().directory().guesses();
    this.client = parts.context().client();
    this.account = parts.context().account();
    this.profile = parts.profile();
    this.control = parts.control();
    this.reader = parts.context().reader();
    this.loop = parts.context().loop();
  }

  /**
   * Returns whether the command requires authentication. Redis checks existence and arity first,
   * then this, then everything else.
   */
  public static boolean isNeededFor(Command command) {
    CommandSpec spec = command.spec();
    return spec != null
        && spec.acceptsArity(command.argc())
        && !command.isUnknownSubcommand()
        && !spec.has(CommandFlag.NO_AUTH);
  }

  /**
   * Returns whether it is a line of an HTTP request, which a web page may have caused a browser to
   * send, with commands in the body. Redis closes the client then, before any other check.
   */
  public static boolean isHttp(Command command) {
    return command.argEqualsIgnoreCase(0, "post") || command.argEqualsIgnoreCase(0, "host:");
  }

  /**
   * Returns whether an attempt must wait because others of its address have failed. Then it is
   * handled again after a delay, with the requests behind it.
   */
  boolean mustWait(LocalCommand which, Command command) {
    RequestFrame frame = command.frame();
    int passwordAt =
        which == LocalCommand.HELLO
            ? HelloOptions.read(command).passwordAt()
            : frame.argc() > 3 ? 0 : frame.argc() - 1;
    if (passwordAt == 0 || (users == null && !access.passwords().required())) {
      return false;
    }
    String user = passwordAt == 1 ? DEFAULT_USER : frame.text(passwordAt - 1);
    long now = loop.now();
    long nanos = guesses.waitNanos(control.clientAddress(), user, frame.text(passwordAt), now);
    if (nanos == 0) {
      waiting = false;
      return false;
    }
    if (!waiting) {
      waiting = true;
      access.counters().countAuthenticationDelay();
      access.clientLog().authenticationDelayed(client);
    }
    delay(nanos);
    return true;
  }

  private void delay(long nanos) {
    delayed = true;
    delayedUntil = loop.now() + nanos;
    account.delayed(true);
    access.delayed().add(this);
  }

  void auth(RequestFrame frame, ReplyWriter reply) {
    if (frame.argc() > 3) {
      reply.error("ERR syntax error");
    } else if (frame.argc() == 2 && !mayGivePassword()) {
      reply.error(NO_PASSWORD);
    } else {
      String error =
          authenticate(frame.argc() == 2 ? null : frame.text(1), frame, frame.argc() - 1);
      if (error == null) {
        reply.status("OK");
      } else {
        reply.error(error);
      }
    }
  }

  /** Whether {@code AUTH} with a password only may be right. */
  private boolean mayGivePassword() {
    return users == null
        ? access.passwords().required()
        : users.passwordSelectsUser() || !users.now().defaultUser().acl().noPassword();
  }

  /** Returns the error, or null. */
  private @Nullable String succeeded(@Nullable KnownUser user, String password) {
    String name = user == null ? DEFAULT_USER : user.name();
    if (name.equals(failedUser)) { // whoever knows one password may guess at another
      failures = 0;
    }
    if (user == null ? access.passwords().required() : !user.acl().noPassword()) {
      guesses.succeeded(control.clientAddress(), name, loop.now());
    }
    if (user != null) {
      return control.login(user, password) ? null : TOO_MANY;
    }
    profile.user(User.DEFAULT);
    control.setAuthenticated();
    return null;
  }

  /** Counts a failure. The error is sent at once; the client's next requests are delayed. */
  private void failed(String user) {
    failures++;
    failedUser = user;
    access.counters().countAuthenticationFailure();
    access.clientLog().authenticationFailed(client);
    long delay = delayNanos(failures);
    if (delay > 0) {
      delay(delay);
    }
  }

  /** Returns how long requests are delayed after so many failures in a row. */
  public static long delayNanos(int failures) {
    int beyond = failures - FREE_FAILURES;
    if (beyond <= 0) {
      return 0;
    }
    return Math.min(FIRST_DELAY_NANOS << Math.min(beyond - 1, DOUBLINGS), LONGEST_DELAY_NANOS);
  }

  /** Ends the delay if it is over. Returns whether it is. */
  boolean endDelayIfOver(long now) {
    if (!client.isClosed() && now - delayedUntil < 0) {
      return false;
    }
    delayed = false;
    account.delayed(false);
    return true;
  }

  /** Handles the requests that the client sent during the delay. */
  void processInput() {
    client.processInput();
  }

  /**
   * Authenticates the client if the credentials are correct, and counts a failure otherwise.
   * Without a configured password any password of the default user is correct. Takes the same time
   * for every wrong password.
   *
   * @param given null if the client gave a password only
   * @return the error, or null
   */
  private @Nullable String authenticate(
      @Nullable String given, RequestFrame frame, int passwordAt) {
    String password = frame.text(passwordAt);
    byte[] bytes = password.getBytes(StandardCharsets.ISO_8859_1);
    String user = given == null ? DEFAULT_USER : given;
    if (mustNotLook(user, password)) {
      failed(user);
      return WRONG;
    }
    KnownUser known = users == null ? null : users.authenticate(given, bytes);
    boolean right = users == null ? acceptDefault(user, bytes) : known != null;
    if (right) {
      return succeeded(known, password);
    }
    guesses.failed(control.clientAddress(), user, password, loop.now());
    failed(user);
    control.denied("auth", frame.text(0), user);
    return WRONG;
  }

  /**
   * Whether the attempt would have had to wait. Those in a transaction do not: they fail, whatever
   * the password is.
   */
  private boolean mustNotLook(String user, String password) {
    long now = loop.now();
    boolean guarded = users != null || access.passwords().required();
    return delayed
        || (guarded && guesses.waitNanos(control.clientAddress(), user, password, now) > 0);
  }

  private boolean acceptDefault(String user, byte[] password) {
    boolean accepted = access.passwords().accept(password, System.nanoTime());
    return user.equals(DEFAULT_USER) && accepted;
  }

  /**
   * Returns the protocol of the replies behind a {@code HELLO}, if its password is correct; null if
   * it names no protocol or fails in any case.
   */
  public static @Nullable Protocol protocolAfter(Command hello) {
    Protocol named = hello.argc() > 1 ? protocolOf(hello.argAsLong(1)) : null;
    return named == null || HelloOptions.read(hello).error() != null ? null : named;
  }

  /** Returns whether a {@code HELLO} without errors has a user and a password. */
  public static boolean hasCredentials(Command hello) {
    return HelloOptions.read(hello).hasCredentials();
  }

  private static @Nullable Protocol protocolOf(long version) {
    return version == 2 ? Protocol.RESP2 : version == 3 ? Protocol.RESP3 : null;
  }

  void hello(Command command, ByteBuf out) {
    RequestFrame frame = command.frame();
    Protocol wanted = client.protocol();
    if (frame.argc() > 1) {
      long version = command.argAsLong(1);
      if (version == Command.NOT_A_LONG) {
        error(out, "ERR Protocol version is not an integer or out of range");
        return;
      }
      Protocol named = protocolOf(version);
      if (named == null) {
        error(out, "NOPROTO unsupported protocol version");
        return;
      }
      wanted = named;
    }
    HelloOptions options = HelloOptions.read(command);
    String error = options.error();
    if (error == null && options.hasCredentials()) {
      error = authenticate(frame.text(options.userAt()), frame, options.passwordAt());
    }
    if (error == null) {
      welcome(options, wanted, out);
    } else {
      error(out, error);
    }
  }

  private void welcome(HelloOptions options, Protocol wanted, ByteBuf out) {
    if (!control.isAuthenticated()) {
      error(out, ServerWords.helloNeedsAuthentication(reader.servers()));
      return;
    }
    if (options.name() != null) {
      profile.name(options.name());
      account.checkLater();
    }
    control.setProtocol(wanted);
    ServerFacts servers = reader.servers();
    var reply = new ReplyWriter(out, wanted);
    HelloFacts hello = servers.hello();
    reply.map(hello.zone().isEmpty() ? 7 : 8);
    reply.bulk("server");
    reply.bulk(servers.name());
    reply.bulk("version");
    reply.bulk(servers.ownVersion().toString());
    reply.bulk("proto");
    reply.integer(wanted == Protocol.RESP2 ? 2 : 3);
    reply.bulk("id");
    reply.integer(client.id());
    reply.bulk("mode");
    reply.bulk(answerLoop.proxy().facade() == null ? "standalone" : "cluster");
    reply.bulk("role");
    reply.bulk("master");
    reply.bulk("modules");
    reply.array(hello.modules().size());
    hello.modules().forEach(module -> write(module, reply));
    if (!hello.zone().isEmpty()) {
      reply.bulk("availability_zone");
      reply.bulk(hello.zone());
    }
  }

  private static void write(HelloFacts.Module module, ReplyWriter reply) {
    reply.map(4);
    reply.bulk("name");
    reply.bulk(module.name());
    reply.bulk("ver");
    reply.integer(module.version());
    reply.bulk("path");
    reply.bulk(module.path());
    reply.bulk("args");
    reply.array(module.args().size());
    module.args().forEach(reply::bulk);
  }

  private static void error(ByteBuf out, String line) {
    new ReplyWriter(out, Protocol.RESP2).error(line);
  }
}
