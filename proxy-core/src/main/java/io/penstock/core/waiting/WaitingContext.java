package io.penstock.core.waiting;

import io.penstock.core.blocking.BlockingContext;
import io.penstock.core.blocking.CurrentBlockingCall;
import io.penstock.core.forward.ForwardContext;
import io.penstock.core.forward.GatherLimit;

/**
 * What a client's calls with keys in several partitions need, to read or to wait.
 *
 * @param forward what their requests are sent with
 * @param blocking what blocking calls need
 * @param current the call that the client waits in
 * @param waits the keys that the loop's clients wait for
 * @param limit on the bytes that one call may collect
 */
public record WaitingContext(
    ForwardContext forward,
    BlockingContext blocking,
    CurrentBlockingCall current,
    KeyWaits waits,
    GatherLimit limit) {}
