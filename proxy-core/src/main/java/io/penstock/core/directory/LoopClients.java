package io.penstock.core.directory;

import io.netty.channel.EventLoop;
import io.penstock.core.transport.Slices;
import java.util.Collection;

/** The clients of one event loop, as commands about all clients see them. Used on that loop. */
public interface LoopClients {

  /** Returns the event loop. Safe from any thread. */
  EventLoop executor();

  /** Returns the slices, for work that is too long for one loop turn. */
  Slices slices();

  /** Returns the connected clients, oldest first. */
  Collection<? extends ListedClient> clients();

  /** Returns {@code CLIENT PAUSE} on the loop. */
  ClientPause pause();
}
