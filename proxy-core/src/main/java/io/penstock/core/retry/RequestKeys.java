package io.penstock.core.retry;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.client.RequestReader;
import io.penstock.core.command.Command;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.KeyPositions;
import io.penstock.core.spec.Trait;
import io.penstock.core.transport.Slices;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a request whose order matters: one that did not run, or one behind a multi-key
 * request. Requests that share no key may change their order, and while a partition is migrated its
 * keys are on two nodes. The keys are read again from the request's bytes and copied; a request
 * that succeeds at once never needs this.
 *
 * @param keys empty if the request names none, or very many
 */
public record RequestKeys(Set<ByteBuf> keys) {

  /**
   * Nothing is copied of a request that is longer or has more keys: it counts as concerning any
   * key.
   */
  private static final int MAX_KEYS = 1_024;

  private static final int MAX_LENGTH = 1024 * 1024;
  private static final RequestKeys TOO_MANY = new RequestKeys(Set.of());

  /** Copies the keys of a request; none if there are very many. */
  static RequestKeys of(Command command) {
    if (command.argc() >= Slices.THRESHOLD) {
      return TOO_MANY;
    }
    Set<ByteBuf> keys = new HashSet<>();
    CommandSpec spec = command.spec();
    var positions = new KeyPositions();
    if (spec != null
        && spec.findKeys(command.frame(), positions) > 0
        && positions.size() <= MAX_KEYS
        && command.frame().end() - command.frame().start() <= MAX_LENGTH) {
      for (int i = 0; i < positions.size(); i++) {
        int at = positions.get(i);
        byte[] key = new byte[command.frame().length(at)];
        command.frame().buffer().getBytes(command.frame().offset(at), key);
        keys.add(Unpooled.wrappedBuffer(key));
      }
    }
    return new RequestKeys(keys);
  }

  /**
   * Copies the keys of all requests of a transaction; none if one of the requests has none.
   *
   * @param buffer borrowed
   */
  public static RequestKeys ofAll(RequestReader reader, ByteBuf buffer, int from, int length) {
    Set<ByteBuf> keys = new HashSet<>();
    boolean known =
        reader.allMatch(
            buffer,
            from,
            length,
            command -> {
              RequestKeys ofOne = of(command);
              keys.addAll(ofOne.keys);
              return keys.size() <= MAX_KEYS
                  && (!ofOne.keys.isEmpty() || enclosesTransaction(command.spec()));
            });
    return known ? new RequestKeys(keys) : TOO_MANY;
  }

  private static boolean enclosesTransaction(@Nullable CommandSpec spec) {
    return spec != null && spec.has(Trait.ENCLOSES_TRANSACTION);
  }

  /**
   * Returns whether a request for {@code partition} names no key: it is routed to partition 0, but
   * may run anywhere.
   */
  public static boolean isKeyless(int partition, Command command) {
    CommandSpec spec = command.spec();
    return partition == 0
        && spec != null
        && spec.firstKeyIndex() == 0
        && spec.findKeys(command.frame(), new KeyPositions()) <= 0;
  }

  /**
   * Returns whether both requests may concern the same key: they name one, or the keys of one are
   * unknown.
   */
  boolean overlaps(RequestKeys other) {
    return keys.isEmpty() || other.keys.isEmpty() || !Collections.disjoint(keys, other.keys);
  }
}
