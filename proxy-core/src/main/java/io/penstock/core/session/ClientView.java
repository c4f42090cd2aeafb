package io.penstock.core.session;

import io.netty.channel.unix.PeerCredentials;
import io.netty.channel.unix.UnixChannel;
import io.penstock.core.client.ClientProfile;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.directory.BlockingKeyCount;
import io.penstock.core.directory.ListedClient;
import io.penstock.core.limit.Allowance;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.resp.Protocol;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.subscribe.Subscriptions;
import io.penstock.core.transaction.Transactions;
import io.penstock.core.transport.UnixSockets;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * A client as commands about all clients see it, above all as a line of {@code CLIENT LIST}, with
 * the fields of the servers behind. Fields that have no meaning in a proxy have the value of an
 * idle client. Everything is read when it is asked for; there may be several views of a client.
 * Used on its loop.
 */
final class ClientView implements ListedClient {

  private final Session session;
  private final SessionLoop loop;

  /**
   * @param loop of the session
   */
  ClientView(Session session, SessionLoop loop) {
    this.session = session;
    this.loop = loop;
  }

  @Override
  public long id() {
    return session.id();
  }

  @Override
  public String address() {
    return ClientAddress.text(session.channel());
  }

  @Override
  public String listeningAddress() {
    return ClientAddress.listening(session.channel());
  }

  @Override
  public long ageSeconds() {
    return secondsSince(session.activity().connectedAt());
  }

  @Override
  public long idleSeconds() {
    return secondsSince(session.activity().lastBytesAt());
  }

  private static long secondsSince(long nanoTime) {
    return TimeUnit.NANOSECONDS.toSeconds(Math.max(0, System.nanoTime() - nanoTime));
  }

  @Override
  public int databaseNumber() {
    return session.databaseNumber();
  }

  @Override
  public ClientProfile profile() {
    return session.profile();
  }

  @Override
  public boolean isSubscriber() {
    return session.isSubscriber();
  }

  @Override
  public boolean isClosed() {
    return session.isClosed();
  }

  @Override
  public void addBlockingKeys(BlockingKeyCount count) {
    session.intake().blocked().countKeys(count);
  }

  @Override
  public void unblock(boolean error, IntConsumer done) {
    session.intake().blocked().unblock(error, done);
  }

  @Override
  public void closeNow(String why) {
    session.closeNow(why);
  }

  @Override
  public String flags() {
    ClientProfile profile = profile();
    String flags =
        (isSubscriber() ? "P" : "")
            + (session.intake().transactions().isOpen() ? "x" : "")
            + (session.isBlocked() ? "b" : "")
            + (isOfUnixSocket() ? "U" : "")
            + (profile.isReadOnly() ? "r" : "")
            + (profile.isNoEvict() ? "e" : "");
    return flags.isEmpty() ? "N" : flags;
  }

  private boolean isOfUnixSocket() {
    return ClientAddress.unixSocket(session.channel()) != null;
  }

  @Override
  public String line() {
    ClientProfile profile = profile();
    CommandSpec last = session.activity().lastCommand();
    ServerFacts servers = loop.servers();
    return "id="
        + id()
        + " addr="
        + address()
        + " laddr="
        + listeningAddress()
        + descriptor()
        + " name="
        + profile.name()
        + " age="
        + ageSeconds()
        + " idle="
        + idleSeconds()
        + " flags="
        + flags()
        + capabilities(profile, servers)
        + " db="
        + databaseNumber()
        + subscriptions()
        + transactions(servers)
        + " qbuf="
        + session.input().size()
        + " qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll="
        + session.unanswered()
        + memory()
        + " events=r cmd="
        + (last == null ? "NULL" : last.name())
        + chosen(profile)
        + library(profile, servers)
        + (servers.isRedis(8, 0) ? " io-thread=" + loop.loop().index() : "")
        + traffic(servers)
        + process();
  }

  /** The process of a client of a Unix socket, in fields that Redis does not have. */
  private String process() {
    PeerCredentials peer = isOfUnixSocket() ? UnixSockets.peer(session.channel()) : null;
    return peer == null
        ? ""
        : " peer-pid="
            + peer.pid()
            + " peer-uid="
            + peer.uid()
            + " peer-gid="
            + UnixSockets.group(peer);
  }

  private static String chosen(ClientProfile profile) {
    return " user="
        + profile.user().name()
        + " redir=-1 resp="
        + (profile.protocol() == Protocol.RESP2 ? 2 : 3);
  }

  /** The client's library. Shown in front of any server if the client has told it. */
  private static String library(ClientProfile profile, ServerFacts servers) {
    boolean told = !profile.libraryName().isEmpty() || !profile.libraryVersion().isEmpty();
    return told || servers.isRedis(7, 2) || servers.isValkey(7, 2)
        ? " lib-name=" + profile.libraryName() + " lib-ver=" + profile.libraryVersion()
        : "";
  }

  private static String capabilities(ClientProfile profile, ServerFacts servers) {
    return servers.isValkey(8, 0) ? " capa=" + profile.capabilities() : "";
  }

  /** The file descriptor. NIO does not provide it: the field is missing then. */
  private String descriptor() {
    return session.channel() instanceof UnixChannel unix ? " fd=" + unix.fd().intValue() : "";
  }

  private String traffic(ServerFacts servers) {
    if (!servers.isRedis(8, 2) && !servers.isValkey(8, 0)) {
      return "";
    }
    return " tot-net-in="
        + session.activity().bytes()
        + " tot-net-out="
        + (session.output().appendedBytes() - session.output().unwrittenBytes())
        + " tot-cmds="
        + session.activity().requests();
  }

  private String transactions(ServerFacts servers) {
    Transactions client = session.intake().transactions();
    boolean watch = servers.isRedis(7, 4) || servers.isValkey(8, 0);
    return " multi=" + client.queued() + (watch ? " watch=" + client.watched() : "");
  }

  private String memory() {
    Allowance client = session.account();
    return " omem=" + client.unreadBytes() + " tot-mem=" + client.keptBytes();
  }

  private String subscriptions() {
    Subscriptions all = session.intake().subscriptions();
    return " sub="
        + all.count(Kind.CHANNEL)
        + " psub="
        + all.count(Kind.PATTERN)
        + " ssub="
        + all.count(Kind.SHARD);
  }
}
