package io.penstock.core.answer;

import java.util.function.IntConsumer;

/** A client as commands about all clients see it. On that client's event loop. */
public interface ListedClient {

  /** Its id as {@code CLIENT ID} tells it. */
  long id();

  /** Its address, for example {@code 127.0.0.1:50412}. */
  String address();

  /** Where it is connected to. */
  String listeningAddress();

  /** For how many seconds it has been connected. */
  long ageSeconds();

  /** Whether it has subscribed to something. */
  boolean isSubscriber();

  /** Whether its connection is closed. */
  boolean isClosed();

  /** It as a line of {@code CLIENT LIST}. */
  String line();

  /** Adds the keys of the call that it is blocked in, if it is. */
  void addBlockingKeys(BlockingKeyCount count);

  /** Ends its blocking as {@code CLIENT UNBLOCK} does; {@code done} gets 1 if it was blocked. */
  void unblock(boolean error, IntConsumer done);

  /** Closes it at once. */
  void closeNow(String why);
}
