package io.penstock.core.client;

import io.penstock.core.limit.Allowance;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.transport.Loop;

/**
 * The parts that the handlers of one client's requests share. A handler takes what it needs at
 * construction.
 *
 * @param client the client
 * @param replies the client's pending replies
 * @param account the client's memory and limits
 * @param nodes the nodes that the client's requests go to
 * @param reader reads requests a second time
 * @param loop the client's event loop
 */
public record ClientContext(
    Client client,
    ReplySequence replies,
    Allowance account,
    Nodes nodes,
    RequestReader reader,
    Loop loop) {}
