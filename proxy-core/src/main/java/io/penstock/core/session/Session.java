package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.penstock.core.answer.SessionControl;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.client.Backpressure;
import io.penstock.core.client.ChannelPrefix;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.ClientProfile;
import io.penstock.core.client.RequestRules;
import io.penstock.core.client.TurnBudget;
import io.penstock.core.command.CommandTable;
import io.penstock.core.dispatch.ReadNodes;
import io.penstock.core.forward.ForwardContext;
import io.penstock.core.limit.Allowance;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.limit.ClientTimeouts;
import io.penstock.core.limit.LimitedClient;
import io.penstock.core.mirroring.ClientMirror;
import io.penstock.core.mirroring.LoopMirror;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.output.SocketOutput;
import io.penstock.core.reply.Activity;
import io.penstock.core.reply.ReplyOwner;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ScanResult;
import io.penstock.core.retry.OrderGuard;
import io.penstock.core.retry.ReadOrder;
import io.penstock.core.retry.Retries;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.subscribe.Subscriptions;
import io.penstock.core.transport.Slices;
import io.penstock.core.upstream.ProxyChain;
import io.penstock.core.users.KnownUser;
import io.penstock.core.users.Users;
import java.net.SocketAddress;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client connection, from its beginning to its end ({@link SessionState}). Requests are handled
 * in order while the number of unanswered ones is below the limit, the client reads its replies and
 * the nodes keep up; otherwise reading from the socket is paused. Confined to the client's event
 * loop.
 *
 * <p>A session makes the parts that its client's requests need and connects them to each other and
 * to the parts of its loop. They know it by the interfaces that it implements: {@link Client} for
 * handlers of requests, {@link ReplyOwner} for the replies, {@link LimitedClient} for the limits,
 * {@link SessionControl} for commands about the connection itself. {@link ClientView} is the client
 * in {@code CLIENT LIST}.
 */
public final class Session implements Client, ReplyOwner, LimitedClient, SessionControl {

  private static final Logger log = LoggerFactory.getLogger(Session.class);

  private static final int MOST_READ_WHILE_DELAYED = 64 * 1024;
  private static final long LONGEST_DELAY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final SessionLoop loop;
  private final Channel channel;
  private final long id;
  private final SocketOutput output;
  private final Input input;
  private final Activity activity;
  private final ClientProfile profile = new ClientProfile();
  private final Allowance account;
  private final AutoRead autoRead;
  private final ReplySequence replies;
  private final TurnBudget turnBudget;
  private final TimeoutCheck timeoutCheck;
  private final CurrentRequest request;
  private final SessionState state;
  private final SessionUser user;
  private LoopRoutes routes; // what the following are connected to
  private boolean leavesRoutes; // when the blocking call ends
  private Retries retries;
  private Backpressure backpressure;
  private ForwardContext forward;
  private Intake intake;
  private boolean inputEnded;
  private boolean delayed; // by the rate of its user
  private boolean processing; // processInput is running

  /**
   * @param context of the channel's last handler
   */
  public Session(SessionLoop loop, ChannelHandlerContext context) {
    this.loop = loop;
    this.channel = context.channel();
    this.id = loop.nextId();
    this.user = new SessionUser(this, loop, profile);
    this.state = new SessionState(user.isLoginRequired());
    this.account =
        new Allowance(this, loop.limits(), loop.memory(), loop.slowClients(), loop.loop());
    this.output = new SocketOutput(context, loop.loop().flushQueue(), account::check);
    this.input = new Input(loop.reader().limits());
    this.activity = new Activity(loop.loop().tick());
    this.replies = new ReplySequence(this, activity, account, loop.slots(), output);
    this.request =
        new CurrentRequest(input, loop.reader().command(input.frame()), loop.reader(), replies);
    this.autoRead = new AutoRead(this, replies, account, loop.readGate(), channel.config());
    this.turnBudget = new TurnBudget(this, account, loop.slices());
    this.timeoutCheck = new TimeoutCheck(this, activity.connectedAt());
    connect(loop.routes(), Subscriptions.NONE);
    input.scanner().authenticated(state.isAuthenticated());
    account.open();
    loop.sessions().add(this);
    if (loop.isDraining()) {
      drain();
    }
  }

  /**
   * Makes the handlers of requests. None of an earlier request may be under way.
   *
   * @param before the subscriptions so far
   */
  private void connect(LoopRoutes to, Subscriptions before) {
    var parts = new ClientContext(this, replies, account, to.nodes(), loop.reader(), loop.loop());
    routes = to;
    backpressure = new Backpressure(this, to.nodes());
    OrderGuard order = newOrder(parts);
    retries = new Retries(parts, to.retryLoop(), order);
    LoopMirror mirror = to.routing().mirror().mirror();
    ClientMirror followed = mirror == null ? null : new ClientMirror(mirror, this);
    forward = new ForwardContext(parts, retries.owner(), order, to.forwardLoop(), followed);
    intake = new Intake(this, loop, forward, request, before.changedTo(parts, to.subscribeLoop()));
  }

  private static OrderGuard newOrder(ClientContext parts) {
    ReadNodes readNodes = parts.nodes().readNodes();
    return readNodes == null ? new OrderGuard(parts) : new ReadOrder(parts, readNodes);
  }

  /** What the client's handlers are connected to. */
  LoopRoutes routes() {
    return routes;
  }

  /**
   * Applies changed limits and users, and authenticates if no password is required any more.
   *
   * @param users null if there are none
   */
  void adopt(ClientLimits limits, @Nullable Users users) {
    account.limits(limits);
    user.adopt(users);
    if (users == null && !loop.passwords().required()) {
      setAuthenticated();
    }
  }

  /** The client's user. */
  SessionUser user() {
    return user;
  }

  /**
   * Changes to other routes if no request is under way. If some are unanswered, holds back later
   * ones until they are answered, unless one of them may take long.
   *
   * @return whether the client uses these routes
   */
  boolean follow(LoopRoutes latest) {
    if (routes != latest && mayChangeTo(latest)) {
      if (replies.isEmpty() && !processing) {
        changeTo(latest);
      } else {
        state.onRoutesChange();
      }
    }
    return routes == latest;
  }

  /** Whether no request leaves the client in a state at its nodes that the routes do not know. */
  private boolean mayChangeTo(LoopRoutes latest) {
    return state.mayHandle()
        && intake.subscriptions().mayChangeTo(latest.subscribeLoop())
        && !intake.transactions().isOpen()
        && !intake.transactions().isWatching()
        && !intake.isSearching();
  }

  /**
   * Ends what keeps the client at earlier routes. A call that it is blocked in gets the reply of a
   * timeout, and the client changes to the latest routes; so does a client whose request has waited
   * for another loop and is handled. Otherwise it is closed once it is answered.
   */
  void leaveRoutes(LoopRoutes latest) {
    if (intake.blocked().isBlocked()
        && intake.subscriptions().mayChangeTo(latest.subscribeLoop())
        && !intake.transactions().isWatching()) {
      leavesRoutes = true;
      intake.blocked().unblock(false, _ -> {});
      return;
    }
    intake.endWait();
    if (mayChangeTo(latest)) {
      follow(latest);
    } else {
      drain();
    }
  }

  private void changeTo(LoopRoutes latest) {
    leavesRoutes = false;
    intake.forgetWaiting();
    input.scanner().limits(loop.reader().limits());
    connect(latest, intake.subscriptions());
    forward.order().noteOtherWriteToAll(); // a replica may lack what the client has written
    processInput();
  }

  /** All requests before the change are answered; the last one may have been WATCH or SUBSCRIBE. */
  private void changeRoutes() {
    if (replies.isEmpty() && state.onRoutesChanged() && !follow(loop.routes())) {
      processInput();
    }
  }

  /** Handles bytes from the client; takes ownership of {@code in}. */
  public void onBytes(ByteBuf in) {
    if (state.isEnding()) {
      in.release();
      return;
    }
    activity.onBytes(loop.loop(), in.readableBytes());
    loop.counters().addReceived(in.readableBytes());
    loop.readGate().onRead(in.readableBytes());
    input.add(in);
    processInput();
    account.checkInput();
  }

  /**
   * Takes the next place among the replies for a request that is sent nowhere and whose reply the
   * caller delivers. For tests and benchmarks.
   *
   * @param command that the request is counted as
   */
  public ReplySlot reserve(CommandSpec command) {
    return replies.begin(command);
  }

  /** The client sends no more: its requests are answered, then the connection closes. */
  public void onInputEnded() {
    inputEnded = true;
    if (delayed) {
      drain();
      return;
    }
    intake.blocked().onInputEnded();
    processInput();
  }

  /** The client has begun or stopped reading its replies. */
  public void onWritabilityChanged() {
    processInput();
  }

  /** The channel is closed: releases everything. */
  public void onClosed() {
    state.onClosed();
    user.onClosed();
    replies.close();
    if (loop.sessions().remove(this)) {
      loop.counters().addSent(output.appendedBytes());
    }
    input.close();
    retries.close();
    intake.close();
    account.close();
  }

  @Override
  public void processInput() {
    if (processing || isClosed()) {
      return;
    }
    processing = true;
    boolean reads = false;
    try {
      boolean more = true;
      while (more && mayHandleNext()) {
        more = handleNext();
      }
      reads = intake.awaitSubscribes(input) || !input.isPutBack();
    } catch (Throwable e) { // the caller must not fail because of this client
      fail(e);
    } finally {
      processing = false;
    }
    boolean waits = delayed && input.size() < MOST_READ_WHILE_DELAYED;
    autoRead.set(mayHandleNext() ? reads : waits || state.mustRead(input.size(), inputEnded));
  }

  /** Whether the client's next request may be handled. */
  boolean mayHandleNext() {
    return state.mayHandle()
        && account.mayAcceptRequest(replies.size())
        && !backpressure.isPaused()
        && !turnBudget.isSpent()
        && channel.isWritable();
  }

  /** Returns false if there is no more to handle for now. */
  private boolean handleNext() {
    ScanResult found = input.scan();
    return switch (found) {
      case REQUEST ->
          input.frame().argc() < Slices.THRESHOLD ? intake.handle() : intake.handleLong();
      case NOTHING -> turnBudget.spend(1);
      case INCOMPLETE -> {
        if (inputEnded) {
          drain();
        }
        yield false;
      }
      case PROTOCOL_ERROR -> protocolError();
    };
  }

  /**
   * No request is handled for a time, at most {@link #LONGEST_DELAY_NANOS}. The client is read
   * meanwhile, up to a limit, to notice that it leaves: then its requests are not executed.
   */
  void delay(long nanos) {
    if (inputEnded) {
      drain();
      return;
    }
    delayed = true;
    account.delayed(true);
    loop.executor()
        .schedule(this::endDelay, Math.min(nanos, LONGEST_DELAY_NANOS), TimeUnit.NANOSECONDS);
  }

  private void endDelay() {
    delayed = false;
    account.delayed(false);
    processInput();
  }

  private boolean protocolError() {
    state.onEnd();
    loop.clientLog().protocolError(this, account, input.scanner().error());
    replies.reject(null, "ERR Protocol error: " + input.scanner().error());
    return false;
  }

  /** Closes without a reply: a web page may have made a browser send this. */
  void closeHttp() {
    loop.clientLog().protocolError(this, account, "HTTP request");
    drain();
  }

  @Override
  public void onAdvanced() {
    if (state.isEnding()) {
      closeWhenAnswered();
    } else if (state.isChangingRoutes()) {
      loop.executor().execute(this::changeRoutes); // its handlers are not replaced within a call
    } else if (!processing && (!input.isEmpty() || !channel.config().isAutoRead())) {
      processInput();
    }
  }

  @Override
  public void drain() {
    state.onEnd();
    intake.drain();
    closeWhenAnswered();
  }

  private void closeWhenAnswered() {
    autoRead.set(state.mustRead(input.size(), inputEnded));
    if (replies.isEmpty()) {
      output.closeWhenWritten();
    }
  }

  @Override
  public void closeNow(String why) {
    if (!isClosed()) {
      log.debug("Client {} is closed: {}", id, why);
      state.onEnd();
      output.closeAndDiscard();
    }
  }

  @Override
  public void fail(Throwable cause) {
    log.error("A request of client {} failed; the client is closed", id, cause);
    closeNow("a request failed");
    replies.abandon();
  }

  /** Closes the client if a timeout has passed, or it is in a circle. Called periodically. */
  void sweep(ClientTimeouts timeouts, long now) {
    CloseReason reason = timeoutCheck.check(timeouts, now);
    if (reason != null) {
      account.end(reason);
    } else if (routes.leadsTo(ProxyChain.idIn(profile.name()))) {
      loop.clientLog().leadsBack(this);
      closeNow("it is a Penstock that leads back");
    } else {
      user.sweep();
      input.releaseIdle();
    }
  }

  @Override
  public void suspend(ReplySlot by) {
    state.onSuspend(by);
  }

  @Override
  public void resume(ReplySlot by) {
    state.onResume(by);
    if (leavesRoutes) {
      state.onRoutesChange();
    }
  }

  @Override
  public void setAuthenticated() {
    if (state.onAuthenticated()) {
      input.scanner().authenticated(true);
    }
  }

  @Override
  public boolean login(KnownUser known, String password) {
    boolean within = user.login(known, password);
    if (within) {
      setAuthenticated();
    }
    return within;
  }

  @Override
  public void denied(String reason, String object, String name) {
    user.log(reason, object, name);
    user.loginFailed(name);
  }

  /** The client must authenticate before its next request. */
  void requireLogin() {
    if (state.onReset(true)) {
      input.scanner().authenticated(false);
    }
  }

  @Override
  public void reset() {
    if (state.onReset(user.isLoginRequired())) {
      input.scanner().authenticated(state.isAuthenticated());
    }
    intake.reset();
    setProtocol(Protocol.RESP2);
    sendAs(null);
    select(routes.database());
    profile.reset();
    user.reset();
  }

  @Override
  public void setProtocol(Protocol protocol) {
    if (profile.protocol() != protocol) {
      intake.beforeProtocolChange();
      forward.order().onConnectionsChange(); // other connections to nodes are used
      profile.protocol(protocol);
    }
  }

  /** Looks up commands in {@code commands} from the next request on. */
  void adopt(CommandTable commands) {
    intake.adopt(commands);
    user.onNewTable();
  }

  @Override
  public boolean isAuthenticated() {
    return state.isAuthenticated();
  }

  /** Whether the client is closed, or is closed when its requests are answered. */
  boolean isEnding() {
    return state.isEnding();
  }

  @Override
  public boolean isInputEnded() {
    return inputEnded || isClosed();
  }

  @Override
  public boolean isClosed() {
    return state.isClosed();
  }

  @Override
  public boolean isClosing() {
    return isClosed() || account.isEnded();
  }

  @Override
  public boolean isConnected() {
    return channel.isActive();
  }

  @Override
  public boolean isWritable() {
    return channel.isWritable();
  }

  @Override
  public boolean isDraining() {
    return loop.isDraining();
  }

  @Override
  public void onReplyBegins(ReplySlot slot, @Nullable CommandSpec spec) {
    if (profile.isNextReplyMuted()) {
      slot.mute();
    }
    RequestRules rules = profile.user().rules();
    if (rules == null) {
      return;
    }
    request.onReplyBegins(slot);
    CommandSpec asked = request.asked();
    if (spec != null && asked != null) {
      slot.rewriteWith(rules.rewriterFor(asked));
    }
  }

  @Override
  public void onLocalReply() {
    turnBudget.spend(TurnBudget.LOCAL_REPLY);
  }

  @Override
  public void onReplyEnded() {
    intake.subscriptions().onReplyEnded();
  }

  @Override
  public void releaseMessages(long requestNumber) {
    intake.subscriptions().releaseMessages(requestNumber);
  }

  @Override
  public long unreadBytes() {
    return intake.subscriptions().bufferedBytes() + output.unwrittenBytes();
  }

  @Override
  public long bufferBytes() {
    return input.capacity() + intake.transactions().size();
  }

  @Override
  public long heapBytes() {
    return profile.size()
        + intake.transactions().sizeOnHeap()
        + input.frame().size()
        + user.size()
        + (long) replies.size() * ReplySlot.SIZE
        + intake.subscriptions().size();
  }

  @Override
  public boolean hasInput() {
    return !input.isEmpty();
  }

  @Override
  public int unanswered() {
    return replies.size();
  }

  @Override
  public boolean isSubscriber() {
    return intake.subscriptions().isSubscriber();
  }

  @Override
  public boolean isRestricted() {
    return intake.subscriptions().isRestricted();
  }

  @Override
  public boolean isNoEvict() {
    return profile.isNoEvict();
  }

  @Override
  public void pausedForInFlight() {
    loop.clientLog().paused(this);
  }

  @Override
  public void closing(CloseReason reason) {
    loop.clientLog().closing(this, account, reason);
  }

  @Override
  public void close(CloseReason reason) {
    closeNow(reason.description());
    intake.subscriptions().discardMessages();
  }

  /** Whether the client is blocked in a call, or its request waits for {@code CLIENT PAUSE}. */
  boolean isBlocked() {
    return intake.blocked().isBlocked() || (loop.pause().isOn() && input.isPutBack());
  }

  /** Whether the client's socket is read. */
  boolean isRead() {
    return channel.config().isAutoRead();
  }

  @Override
  public ClientView view() {
    return new ClientView(this, loop);
  }

  @Override
  public String peer() {
    return ClientAddress.peer(channel);
  }

  /** The client's certificate names a user, as which it is authenticated if there is such a one. */
  public void authenticateAs(String name) {
    if (user.login(name)) {
      setAuthenticated();
    }
  }

  @Override
  public @Nullable SocketAddress clientAddress() {
    return ClientAddress.of(channel);
  }

  @Override
  public SocketAddress localAddress() {
    return channel.localAddress();
  }

  @Override
  public long id() {
    return id;
  }

  @Override
  public int affinity() {
    return (int) id;
  }

  @Override
  public Protocol protocol() {
    return profile.protocol();
  }

  @Override
  public @Nullable ChannelPrefix channelPrefix() {
    RequestRules rules = profile.user().rules();
    return rules == null ? null : rules.channelPrefix();
  }

  @Override
  public ConnectionKey connections() {
    return profile.connections();
  }

  @Override
  public int databaseNumber() {
    int database = profile.connections().database();
    return database == ConnectionKey.DEFAULT_DATABASE ? routes.database() : database;
  }

  @Override
  public void select(int number) {
    int database = number == routes.database() ? ConnectionKey.DEFAULT_DATABASE : number;
    if (database != profile.connections().database()) {
      forward.order().onConnectionsChange(); // other connections to nodes are used
      profile.database(database);
    }
  }

  @Override
  public void sendAs(ConnectionKey.@Nullable Login login) {
    if (!Objects.equals(login, profile.connections().login())) {
      forward.order().onConnectionsChange(); // other connections to nodes are used
      intake.transactions().onUserChange();
      profile.login(login);
    }
  }

  @Override
  public byte[] nullArray() {
    return profile.nullArray();
  }

  /** What the client's requests are sent with. */
  ForwardContext forward() {
    return forward;
  }

  Channel channel() {
    return channel;
  }

  SocketOutput output() {
    return output;
  }

  Input input() {
    return input;
  }

  ReplySequence replies() {
    return replies;
  }

  /** What the client has set about itself. */
  ClientProfile profile() {
    return profile;
  }

  Allowance account() {
    return account;
  }

  Intake intake() {
    return intake;
  }

  Backpressure backpressure() {
    return backpressure;
  }

  Activity activity() {
    return activity;
  }

  TurnBudget turnBudget() {
    return turnBudget;
  }
}
