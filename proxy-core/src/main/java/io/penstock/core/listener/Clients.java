package io.penstock.core.listener;

import io.penstock.core.transport.LoopGroup;

/**
 * What becomes of the clients that a socket accepts.
 *
 * @param group whose loops serve them
 * @param service serves them
 * @param admission limits their number
 * @param rateLimit limits how many connect in a second
 * @param settings of connections
 */
record Clients(
    LoopGroup group,
    ClientService service,
    Admission admission,
    ConnectionRateLimit rateLimit,
    AcceptSettings settings) {}
