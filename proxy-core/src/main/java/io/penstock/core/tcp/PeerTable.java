package io.penstock.core.tcp;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a TCP upstream and the state of their balancing, at one moment. Published as a
 * whole: {@link TcpServers} replaces it for each choice, so that the choices of all loops are one
 * sequence. A copy may be changed until it is published.
 */
final class PeerTable {

  private final Layout layout;
  private final PeerState[] states;

  private PeerTable(Layout layout, PeerState[] states) {
    this.layout = layout;
    this.states = states;
  }

  /** What only the settings decide. */
  record Layout(
      TcpSettings settings,
      List<Peer> peers,
      int[] primary,
      int[] backup,
      int totalWeight,
      @Nullable HashRing ring) {

    static Layout of(TcpSettings settings, List<Peer> peers) {
      List<TcpServer> servers = settings.servers();
      int[] primary =
          IntStream.range(0, servers.size()).filter(i -> !servers.get(i).backup()).toArray();
      int[] backup =
          IntStream.range(0, servers.size()).filter(i -> servers.get(i).backup()).toArray();
      int total = IntStream.of(primary).map(i -> servers.get(i).weight()).sum();
      HashRing ring =
          settings.balance() == TcpBalance.CONSISTENT_HASH ? HashRing.of(servers) : null;
      return new Layout(settings, List.copyOf(peers), primary, backup, total, ring);
    }

    TcpServer server(int index) {
      return settings.servers().get(index);
    }

    /** With one server only, there is nothing to be gained by taking it out. */
    boolean isSingle() {
      return peers.size() == 1;
    }

    /** Returns how many servers one client may try at most. */
    int tries() {
      int usable = (int) settings.servers().stream().filter(server -> !server.down()).count();
      int limit = settings.connect().tries();
      return limit > 0 ? Math.min(limit, usable) : usable;
    }
  }

  /** Returns the table of new settings; servers that {@code before} has too keep their state. */
  static PeerTable of(TcpSettings settings, @Nullable PeerTable before) {
    Map<String, Integer> known = new HashMap<>();
    for (int i = 0; before != null && i < before.states.length; i++) {
      known.put(before.layout.server(i).toString(), i);
    }
    List<Peer> peers = new ArrayList<>();
    PeerState[] states = new PeerState[settings.servers().size()];
    for (int i = 0; i < states.length; i++) {
      TcpServer server = settings.servers().get(i);
      Integer index = known.get(server.toString());
      if (before == null || index == null) {
        peers.add(new Peer(server.address()));
        states[i] = new PeerState(server.weight());
      } else {
        peers.add(before.layout.peers().get(index));
        states[i] = before.states[index].copy();
        states[i].current = 0;
        states[i].effective = server.weight();
      }
    }
    return new PeerTable(Layout.of(settings, peers), states);
  }

  PeerTable copy() {
    PeerState[] copies = new PeerState[states.length];
    for (int i = 0; i < copies.length; i++) {
      copies[i] = states[i].copy();
    }
    return new PeerTable(layout, copies);
  }

  Layout layout() {
    return layout;
  }

  PeerState state(int index) {
    return states[index];
  }

  /** Returns the place of a server; -1 if the settings do not have it any more. */
  int indexOf(Peer peer) {
    return layout.peers().indexOf(peer);
  }

  /** Returns whether failed connects have taken a server out, now. */
  boolean isBanned(int index, long now) {
    TcpServer server = layout.server(index);
    PeerState state = states[index];
    return server.maxFails() > 0
        && state.fails >= server.maxFails()
        && now - state.checked <= server.failTimeout().toMillis();
  }

  /** Returns whether a server may get clients, apart from the number that it has. */
  boolean isUp(int index, long now) {
    return !layout.server(index).down()
        && layout.peers().get(index).trouble() == null
        && (layout.isSingle() || !isBanned(index, now));
  }
}
