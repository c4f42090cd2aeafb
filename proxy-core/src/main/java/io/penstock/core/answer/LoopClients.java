package io.penstock.core.answer;

import io.netty.channel.EventLoop;
import io.penstock.core.transport.Slices;
import java.util.Collection;

/** The clients of one event loop, as commands about all clients see them. On that loop. */
public interface LoopClients {

  /** Where all of this is used. Any thread. */
  EventLoop executor();

  /** What is too long for one turn of the loop. */
  Slices slices();

  /** The clients that are there now, oldest first. */
  Collection<? extends ListedClient> clients();

  /** {@code CLIENT PAUSE} on the loop. */
  ClientPause pause();
}
