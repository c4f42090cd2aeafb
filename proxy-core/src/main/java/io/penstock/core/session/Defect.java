package io.penstock.core.session;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What should not have happened, or memory that could not be had. The client that it happened to is
 * closed: nobody can tell any more which of its replies is whole. Nobody else notices.
 */
final class Defect {

  private static final Logger log = LoggerFactory.getLogger(Defect.class);

  private Defect() {}

  /**
   * Logs {@code cause} and closes the client; what is held for it is dropped with that, and what it
   * has asked for counts no longer: it may never be answered.
   */
  static void in(Session session, Throwable cause) {
    log.error("A request of client {} failed; the client is closed", session.id(), cause);
    session.abandon("a request failed");
    session.sequence().forgo();
  }
}
