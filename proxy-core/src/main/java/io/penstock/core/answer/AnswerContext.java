package io.penstock.core.answer;

import io.penstock.core.client.ClientContext;
import io.penstock.core.client.ClientProfile;

/**
 * The parts that Penstock's own answers to one client share.
 *
 * @param context of the client
 * @param profile what the client has set about itself
 * @param control the client's session
 * @param answerLoop the parts that all clients of the loop share
 */
public record AnswerContext(
    ClientContext context, ClientProfile profile, SessionControl control, AnswerLoop answerLoop) {}
