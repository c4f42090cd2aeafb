package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.penstock.core.cluster.Node;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class HoldLogTest {

  private static final Node NODE = new Node("10.0.0.1", 7000);

  private final Logger logger = (Logger) LoggerFactory.getLogger(HoldLog.class);
  private final ListAppender<ILoggingEvent> said = new ListAppender<>();
  private final HoldLog log = new HoldLog();

  @BeforeEach
  void listen() {
    logger.setLevel(Level.INFO);
    said.start();
    logger.addAppender(said);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(said);
    logger.setLevel(null);
  }

  @Test
  void eventLoopsTellOfOneOutageTogether() {
    log.holdBegan(NODE);
    log.holdBegan(NODE);
    log.holdEnded(NODE, Duration.ofMillis(900), 3);
    log.holdBegan(NODE);
    log.holdEnded(NODE, Duration.ofMillis(1_100), 4);
    log.holdEnded(NODE, Duration.ofMillis(100), 5);

    assertThat(said.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "Holding requests for 10.0.0.1:7000",
            "No more requests are held for 10.0.0.1:7000: 12 were, for up to 1100 ms");
  }

  @Test
  void slotsWithoutAnOwnerAreNamedSo() {
    log.holdBegan(null);

    assertThat(said.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly("Holding requests for slots that nobody serves");
  }

  @Test
  void whatLoopsSayAtOnceIsCountedOnce() throws Exception {
    int loops = 4;
    int times = 500;
    try (ExecutorService threads = Executors.newFixedThreadPool(loops)) {
      List<Callable<Object>> each =
          Collections.nCopies(
              loops,
              () -> {
                for (int i = 0; i < times; i++) {
                  log.holdBegan(NODE);
                  log.holdEnded(NODE, Duration.ofMillis(1), 1);
                }
                return "done";
              });
      for (Future<Object> done : threads.invokeAll(each)) {
        assertThat(done.get()).isEqualTo("done");
      }
    }

    List<String> ends =
        said.list.stream()
            .map(ILoggingEvent::getFormattedMessage)
            .filter(line -> line.startsWith("No more"))
            .toList();
    assertThat(said.list).hasSize(2 * ends.size());
    assertThat(ends.stream().mapToInt(HoldLogTest::requests).sum()).isEqualTo(loops * times);
  }

  private static int requests(String line) {
    return Integer.parseInt(line.replaceAll(".*: (\\d+) were.*", "$1"));
  }
}
