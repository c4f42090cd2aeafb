package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.penstock.core.client.RequestReader;
import io.penstock.core.client.RequestRules;
import io.penstock.core.command.Command;
import io.penstock.core.directory.ClientPause;
import io.penstock.core.mirror.MirroredBlock;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.spec.CommandSpec;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Queues a transaction's commands again without those that the client may not run any more: its
 * user has changed since {@code MULTI}. As in Redis, {@code EXEC} runs the others, and its reply
 * has an error for each of these. Confined to its loop.
 */
final class QueuedAgain {

  private static final byte[] UNKNOWN =
      ErrorReplies.encode("NOPERM the users of this proxy have changed since MULTI");

  private final Transaction before;
  private final RequestReader reader;
  private final List<byte @Nullable []> errors = new ArrayList<>(); // of each command, or null
  private int next; // index of the command that is queued next

  /**
   * @param rules of the user as it is now
   */
  QueuedAgain(Transaction before, RequestReader reader, RequestRules rules) {
    this.before = before;
    this.reader = reader;
    for (byte[] request : before.originals()) {
      errors.add(rules.rejectionOfQueued(reader.read(request)));
    }
  }

  /**
   * Returns whether the permitted commands can be queued: not if they are divided by partition, or
   * if it is not known what the client sent.
   */
  boolean isPossible() {
    return !before.isSpread() && errors.size() == before.queued();
  }

  /** Returns the error of the first command that the client may not run; null if there is none. */
  byte @Nullable [] firstError() {
    for (byte[] error : errors) {
      if (error != null) {
        return error;
      }
    }
    return errors.size() == before.queued() ? null : UNKNOWN;
  }

  /**
   * Queues the commands.
   *
   * @param into has nothing queued
   */
  void queue(Transaction into) {
    if (before.mayNeedScripts()) {
      into.noteScriptCall();
    }
    List<Transaction.LocalRequest> local = List.copyOf(before.localRequests());
    List<Transaction.LocalRequest> subscribing = List.copyOf(before.subscribing());
    ByteBuf block = before.takeBlock();
    try {
      int from = block.readerIndex() + TransactionBlock.multiLength();
      reader.forEach(
          block,
          from,
          block.writerIndex() - from,
          command -> {
            queueLocal(into, local, subscribing);
            queue(into, command);
          });
    } finally {
      block.release();
    }
    queueLocal(into, local, subscribing);
  }

  /** Queues the local commands that come before the next one for the node. */
  private void queueLocal(
      Transaction into,
      List<Transaction.LocalRequest> local,
      List<Transaction.LocalRequest> subscribing) {
    for (Transaction.LocalRequest one : local) {
      if (one.index() != next || isDenied(into, one.request())) {
        continue;
      }
      into.addLocal(reader.read(one.request()).frame());
      noteAsked(into);
      if (subscribing.contains(one)) {
        into.noteSubscribing();
      }
      next++;
    }
  }

  private void queue(Transaction into, Command command) {
    CommandSpec spec = command.spec();
    if (isDenied(into, before.originals().get(next))) {
      return;
    }
    into.add(command.frame(), before.partition(), spec);
    noteAsked(into);
    MirroredBlock mirrored = into.mirrored();
    if (mirrored != null && spec != null) {
      mirrored.add(spec, command.frame());
    }
    if (spec != null && ClientPause.mayWrite(spec)) {
      into.noteWrite(spec);
    }
    for (Transaction.Selection selection : before.selections()) {
      if (selection.index() == next) {
        into.noteSelection(selection.database());
      }
    }
    next++;
  }

  private void noteAsked(Transaction into) {
    Command asked = reader.read(before.originals().get(next));
    into.noteAsked(asked.spec(), Transactions.repliesOf(asked));
  }

  private boolean isDenied(Transaction into, byte[] request) {
    byte[] error = errors.get(next);
    if (error == null) {
      return false;
    }
    into.addDenied(request, error);
    into.noteAsked(null, 1);
    next++;
    return true;
  }
}
