package io.penstock.core.listener;

import io.netty.channel.EventLoop;
import io.penstock.core.session.SessionLoop;
import io.penstock.core.transport.LoopGroup;
import java.util.function.Function;

/**
 * What becomes of the clients that a socket accepts.
 *
 * @param group whose loops serve them
 * @param sessionLoops returns the state that the clients of a Netty event loop share
 * @param admission limits their number
 * @param rateLimit limits how many connect in a second
 * @param settings of connections
 */
record Clients(
    LoopGroup group,
    Function<EventLoop, SessionLoop> sessionLoops,
    Admission admission,
    ConnectionRateLimit rateLimit,
    AcceptSettings settings) {}
