package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ScanResult;
import io.penstock.core.transport.Slices;
import io.penstock.core.transport.SocketOutput;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client connection. Requests are taken up in order as long as not too many of them are
 * unanswered, the client reads its replies and the nodes keep up; otherwise the socket is not read.
 * Confined to the client's event loop.
 */
public final class Session {

  private static final Logger log = LoggerFactory.getLogger(Session.class);

  private final SessionLoop loop;
  private final Channel channel;
  private final long id;
  private final SocketOutput output;
  private final Input input;
  private final Activity activity;
  private final ClientProfile profile = new ClientProfile();
  private final Allowance allowance;
  private final Reading reading;
  private final ReplySequence sequence = new ReplySequence(this);
  private final Retries retries = new Retries(this);
  private final OrderGuard order = new OrderGuard(this);
  private final Sender sender = new Sender(this);
  private final Intake intake;
  private final TurnShare share = new TurnShare(this);
  private final SlotSearch search = new SlotSearch(this);

  private SessionState state;
  private boolean closed;
  private boolean inputEnded;
  private boolean taking; // the loop in takeUp is running

  /**
   * @param context of the channel's last handler
   */
  public Session(SessionLoop loop, ChannelHandlerContext context) {
    this.loop = loop;
    this.channel = context.channel();
    this.id = loop.directory().nextId();
    this.allowance = new Allowance(this);
    this.reading = new Reading(this);
    this.output = new SocketOutput(context, loop.loop().flushQueue(), allowance::check);
    this.input = new Input(loop.settings().limits());
    this.intake = new Intake(this, new Command(loop.servers().commands(), input.frame()));
    this.activity = new Activity(loop.tick());
    this.state = SessionState.initial(loop.settings().password() != null);
    input.scanner().authenticated(state instanceof SessionState.Serving);
    loop.sessions().add(this);
    if (loop.isDraining()) {
      drain();
    }
  }

  /** Bytes from the client; takes ownership of {@code in}. */
  public void onBytes(ByteBuf in) {
    if (state instanceof SessionState.Closing) {
      in.release();
      return;
    }
    activity.bytes(loop.loop(), in.readableBytes());
    loop.counters().received(in.readableBytes());
    loop.loop().readGate().took(in.readableBytes());
    input.add(in);
    takeUp();
    allowance.checkInput();
  }

  /**
   * Takes the next place among the replies, for a request of which only the reply is to come: it is
   * sent nowhere.
   *
   * @param command that the request is counted as
   */
  public ReplySlot reserve(CommandSpec command) {
    return intake.begin(command);
  }

  /** The client sends no more: what it has sent is answered, then the connection closes. */
  public void onInputEnded() {
    inputEnded = true;
    intake.blocked().inputEnded();
    takeUp();
  }

  /** The client began or stopped reading its replies. */
  public void onWritabilityChanged() {
    takeUp();
  }

  /** The channel is closed. */
  public void onClosed() {
    closed = true;
    state = new SessionState.Closing();
    if (loop.sessions().remove(this)) {
      loop.counters().sent(output.bytes());
    }
    input.close();
    retries.close();
    intake.close();
    allowance.close();
  }

  /** Takes up requests as long as that may be; reads the socket exactly then. */
  void takeUp() {
    if (taking || closed) {
      return;
    }
    taking = true;
    try {
      boolean more = true;
      while (more && mayTakeUp()) {
        more = takeUpOne();
      }
    } catch (Throwable e) { // whoever called is another's business: a node's connection, a timer
      Defect.in(this, e);
    } finally {
      taking = false;
    }
    reading.want(mayTakeUp() ? !input.isPutBack() : state.listens(input.size(), inputEnded));
  }

  boolean mayTakeUp() {
    return (state instanceof SessionState.Serving || state instanceof SessionState.AwaitingAuth)
        && allowance.permits(sequence.size())
        && !sender.isPaused()
        && !share.isUsed()
        && channel.isWritable();
  }

  /** Answers false when there is nothing more to take up for now. */
  private boolean takeUpOne() {
    ScanResult found = input.scan();
    return switch (found) {
      case REQUEST -> input.frame().argc() < Slices.MANY ? intake.handle() : search.handle();
      case NOTHING -> share.spend(1);
      case INCOMPLETE -> {
        if (inputEnded) {
          drain();
        }
        yield false;
      }
      case PROTOCOL_ERROR -> protocolError();
    };
  }

  private boolean protocolError() {
    state = new SessionState.Closing();
    loop.sweep().tellUnreadable(this, input.scanner().error());
    intake.reject(null, "ERR Protocol error: " + input.scanner().error());
    return false;
  }

  /** Some replies were given: there may be room for more requests, or nothing left to wait for. */
  void onAdvanced() {
    if (state instanceof SessionState.Closing) {
      closeWhenAnswered();
    } else if (!taking && (!input.isEmpty() || !channel.config().isAutoRead())) {
      takeUp();
    }
  }

  /** Takes up no more requests, answers those in flight and closes. */
  public void drain() {
    state = new SessionState.Closing();
    intake.drain();
    closeWhenAnswered();
  }

  private void closeWhenAnswered() {
    reading.want(state.listens(input.size(), inputEnded));
    if (sequence.isEmpty()) {
      output.closeWhenWritten();
    }
  }

  /** Closes at once: the client is gone, or cannot be given what it waits for. */
  public void abandon(String why) {
    if (!closed) {
      log.debug("client {} is closed: {}", id, why);
      state = new SessionState.Closing();
      output.abandon();
    }
  }

  void authenticated() {
    if (state instanceof SessionState.AwaitingAuth waiting) {
      state = waiting.authenticated();
      input.scanner().authenticated(true);
    }
  }

  /** Takes up no more requests before {@link #goOn} for the same one. */
  void hold(Request by) {
    if (state instanceof SessionState.Serving serving) {
      state = serving.hold(by);
    }
  }

  /** What the session was held for is over; the requests behind it are taken up with its reply. */
  void goOn(Request by) {
    if (state instanceof SessionState.Holding holding && holding.by() == by) {
      state = holding.goOn();
    }
  }

  void reset() {
    if (state instanceof SessionState.Serving serving) {
      state = serving.reset(loop.settings().password() != null);
      input.scanner().authenticated(state instanceof SessionState.Serving);
    }
    intake.reset();
    speak(Protocol.RESP2);
    profile.reset();
  }

  /** Speaks another protocol version from here on: its connections to nodes are others. */
  void speak(Protocol protocol) {
    if (profile.protocol() != protocol) {
      intake.beforeChange();
      order.routesChange();
      profile.protocol(protocol);
    }
  }

  boolean isAuthenticated() {
    return !(state instanceof SessionState.AwaitingAuth);
  }

  /** Whether the client is gone, or at least sends no more. */
  boolean isInputEnded() {
    return inputEnded || closed;
  }

  boolean isClosed() {
    return closed;
  }

  /** Whether nothing is given to the client any more: it is closed, or will be for a limit. */
  boolean isGone() {
    return closed || allowance.isEnded();
  }

  SessionLoop loop() {
    return loop;
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

  ReplySequence sequence() {
    return sequence;
  }

  Retries retries() {
    return retries;
  }

  ClientProfile profile() {
    return profile;
  }

  Allowance allowance() {
    return allowance;
  }

  Intake intake() {
    return intake;
  }

  OrderGuard order() {
    return order;
  }

  Sender sender() {
    return sender;
  }

  Activity activity() {
    return activity;
  }

  TurnShare share() {
    return share;
  }

  long id() {
    return id;
  }

  int affinity() {
    return (int) id;
  }
}
