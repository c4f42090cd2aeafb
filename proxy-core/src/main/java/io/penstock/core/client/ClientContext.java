package io.penstock.core.client;

import io.penstock.core.limit.Allowance;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.transport.Loop;

/**
 * What the handlers of one client's requests are made with. A handler takes what it needs from this
 * when it is made.
 *
 * @param client whose requests are handled
 * @param replies of the client
 * @param account of what is kept for the client
 * @param nodes that the client's requests go to
 * @param reader of requests that are looked at once more
 * @param loop of the client
 */
public record ClientContext(
    Client client,
    ReplySequence replies,
    Allowance account,
    Nodes nodes,
    RequestReader reader,
    Loop loop) {}
