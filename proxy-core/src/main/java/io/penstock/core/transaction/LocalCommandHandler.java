package io.penstock.core.transaction;

import io.penstock.core.client.IncomingRequest;
import io.penstock.core.command.Command;
import io.penstock.core.spec.CommandSpec;
import java.util.List;

/** Answers the local commands of a transaction. On the client's event loop. */
public interface LocalCommandHandler {

  /** Answers a request that {@code EXEC} has come to; its reply is captured. */
  void answer(IncomingRequest captured);

  /**
   * Prepares to answer calls of {@code SUBSCRIBE} and {@code PSUBSCRIBE} in a transaction whose
   * commands run when this calls {@code then}. To be ended with {@link #onTransactionEnd}.
   *
   * @param calls resolved
   */
  void prepareToSubscribe(List<Command> calls, Runnable then);

  /**
   * Reports a command that is rejected because its keys, or those of its transaction, are in
   * several partitions; if such commands are reported.
   */
  void report(CommandSpec rejected);

  /** A transaction that {@link #prepareToSubscribe} prepared has ended, or did not run. */
  void onTransactionEnd();
}
