package io.penstock.core.directory;

import io.penstock.core.client.ClientProfile;
import java.util.function.IntConsumer;

/** A client as commands about all clients see it. Used on the client's event loop. */
public interface ListedClient {

  /** Returns the id of {@code CLIENT ID}. */
  long id();

  /**
   * Returns the client's address, for example {@code 127.0.0.1:50412}. That of a client of a Unix
   * socket is {@code /run/penstock.sock:0}, as in Redis.
   */
  String address();

  /** Returns the address that the client is connected to. */
  String listeningAddress();

  /** Returns for how many seconds the client has been connected. */
  long ageSeconds();

  /** Returns for how many seconds the client has sent nothing. */
  long idleSeconds();

  /** Returns the number of the client's database. */
  int databaseNumber();

  /** Returns the letters of the field {@code flags} of {@code CLIENT LIST}. */
  String flags();

  /** Returns what the client has set about itself. */
  ClientProfile profile();

  /** Returns whether the client has a subscription. */
  boolean isSubscriber();

  /** Returns whether the connection is closed. */
  boolean isClosed();

  /** Returns the client's line in {@code CLIENT LIST}. */
  String line();

  /** Adds the keys of the call that the client is blocked in, if it is. */
  void addBlockingKeys(BlockingKeyCount count);

  /**
   * Unblocks the client as {@code CLIENT UNBLOCK} does; {@code done} gets 1 if it was blocked,
   * otherwise 0.
   */
  void unblock(boolean error, IntConsumer done);

  /** Closes the client at once. */
  void closeNow(String why);
}
