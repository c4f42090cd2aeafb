package io.penstock.core.answer;

import io.penstock.core.client.ClientContext;
import io.penstock.core.client.ClientProfile;

/**
 * What answers to one client's requests are made with.
 *
 * @param context of the client
 * @param profile what it has told of itself
 * @param control its session
 * @param self it among all clients
 * @param answerLoop of the loop
 */
public record AnswerContext(
    ClientContext context,
    ClientProfile profile,
    SessionControl control,
    ListedClient self,
    AnswerLoop answerLoop) {}
