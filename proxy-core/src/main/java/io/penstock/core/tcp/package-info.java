/**
 * Plain TCP upstreams: a client gets one server when it connects and keeps it; its bytes pass
 * unchanged in both directions. {@link io.penstock.core.tcp.TcpServers} chooses servers as nginx'
 * stream module does, for all event loops; {@link io.penstock.core.tcp.TcpClients} has the clients
 * of one listener on one loop. Netty's events enter and leave, on the client's loop. Nothing here
 * knows RESP.
 */
@NullMarked
package io.penstock.core.tcp;

import org.jspecify.annotations.NullMarked;
