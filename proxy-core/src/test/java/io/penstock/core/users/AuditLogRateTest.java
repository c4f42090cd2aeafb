package io.penstock.core.users;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class AuditLogRateTest {

  @Test
  void ofAFloodTheRestIsCounted() {
    var log = new AuditLog();
    Logger logger = (Logger) LoggerFactory.getLogger(AuditLog.LOGGER);
    ListAppender<ILoggingEvent> events = new ListAppender<>();
    events.start();
    logger.addAppender(events);
    try {
      long admitted = IntStream.range(0, 1_500).filter(_ -> log.admits(7)).count();

      assertThat(admitted).isEqualTo(AuditLog.MOST_IN_A_SECOND);
      assertThat(log.admits(8)).isTrue();
      assertThat(events.list)
          .extracting(ILoggingEvent::getFormattedMessage)
          .containsExactly("500 events were left out: more than 1000 in a second");
    } finally {
      logger.detachAppender(events);
    }
  }
}
