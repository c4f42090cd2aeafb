package io.penstock.core.session;

import io.netty.channel.Channel;
import io.netty.channel.unix.PeerCredentials;
import io.netty.channel.unix.UnixChannel;
import io.penstock.core.client.ClientProfile;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.limit.Allowance;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.resp.Protocol;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.subscribe.Subscriptions;
import io.penstock.core.transaction.Transactions;
import io.penstock.core.transport.UnixSockets;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client as a line of {@code CLIENT LIST}, with the fields of the servers behind. Fields that
 * have no meaning in a proxy have the value of an idle client.
 */
final class ClientLine {

  private ClientLine() {}

  /** Returns the line for the present moment. To be called on the client's loop. */
  static String of(Session session, SessionLoop loop) {
    ClientProfile profile = session.profile();
    CommandSpec last = session.activity().lastCommand();
    ServerFacts servers = loop.servers();
    return "id="
        + session.id()
        + " addr="
        + session.address()
        + " laddr="
        + session.listeningAddress()
        + descriptor(session.channel())
        + " name="
        + profile.name()
        + " age="
        + session.ageSeconds()
        + " idle="
        + session.idleSeconds()
        + " flags="
        + flags(session)
        + capabilities(profile, servers)
        + " db="
        + session.databaseNumber()
        + subscriptions(session)
        + transactions(session.intake().transactions(), servers)
        + " qbuf="
        + session.input().size()
        + " qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll="
        + session.replies().size()
        + memory(session.account())
        + " events=r cmd="
        + (last == null ? "NULL" : last.name())
        + chosen(profile)
        + library(profile, servers)
        + (servers.isRedis(8, 0) ? " io-thread=" + loop.loop().index() : "")
        + traffic(session, servers)
        + process(session);
  }

  /** The process of a client of a Unix socket, in fields that Redis does not have. */
  private static String process(Session session) {
    PeerCredentials peer =
        session.unixSocket() == null ? null : UnixSockets.peer(session.channel());
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
  private static String descriptor(Channel channel) {
    return channel instanceof UnixChannel unix ? " fd=" + unix.fd().intValue() : "";
  }

  private static String traffic(Session session, ServerFacts servers) {
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

  private static String transactions(Transactions client, ServerFacts servers) {
    boolean watch = servers.isRedis(7, 4) || servers.isValkey(8, 0);
    return " multi=" + client.queued() + (watch ? " watch=" + client.watched() : "");
  }

  private static String memory(Allowance client) {
    return " omem=" + client.unreadBytes() + " tot-mem=" + client.keptBytes();
  }

  private static String subscriptions(Session session) {
    Subscriptions all = session.intake().subscriptions();
    return all == null
        ? " sub=0 psub=0 ssub=0"
        : " sub="
            + all.count(Kind.CHANNEL)
            + " psub="
            + all.count(Kind.PATTERN)
            + " ssub="
            + all.count(Kind.SHARD);
  }

  /** The letters for the client's state. */
  static String flags(Session session) {
    ClientProfile profile = session.profile();
    String flags =
        (session.isSubscriber() ? "P" : "")
            + (session.intake().transactions().isOpen() ? "x" : "")
            + (session.isBlocked() ? "b" : "")
            + (session.unixSocket() == null ? "" : "U")
            + (profile.isReadOnly() ? "r" : "")
            + (profile.isNoEvict() ? "e" : "");
    return flags.isEmpty() ? "N" : flags;
  }

  /** Converts nanoseconds to whole seconds. */
  static long seconds(long nanos) {
    return TimeUnit.NANOSECONDS.toSeconds(Math.max(0, nanos));
  }

  /** Returns the address of a Unix socket in the format of servers. */
  static String address(String unixSocket) {
    return unixSocket + ":0";
  }

  /** Returns an address in the format of servers; null is not known. */
  static String address(@Nullable SocketAddress address) {
    if (!(address instanceof InetSocketAddress inet) || inet.getAddress() == null) {
      return "?:0";
    }
    String host = inet.getAddress().getHostAddress();
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + inet.getPort();
  }
}
