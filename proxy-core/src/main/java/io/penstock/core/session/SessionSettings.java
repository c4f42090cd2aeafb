package io.penstock.core.session;

import io.penstock.core.answer.Passwords;
import io.penstock.core.answer.ProxyView;
import io.penstock.core.crossslot.CrossSlotSettings;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.tls.CertificateUsers;
import io.penstock.core.users.Users;
import org.jspecify.annotations.Nullable;

/**
 * The settings for all clients of a listener. Immutable; {@link SessionLoop#adopt} replaces them.
 *
 * @param passwords of clients
 * @param certificateUsers users that clients' certificates name
 * @param users of clients; null if the password is all there is
 * @param limits of requests
 * @param clientLimits the resources that clients may use
 * @param crossSlot what becomes of commands over several slots
 * @param face what clients see of the proxy as a server
 */
public record SessionSettings(
    Passwords passwords,
    CertificateUsers certificateUsers,
    @Nullable Users users,
    RespLimits limits,
    ClientLimits clientLimits,
    CrossSlotSettings crossSlot,
    ProxyView face) {}
