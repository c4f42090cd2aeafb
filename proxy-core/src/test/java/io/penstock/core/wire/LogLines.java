package io.penstock.core.wire;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What a class logs from here on; any thread. */
public final class LogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {

  private final Logger logger;
  private final List<String> lines = new CopyOnWriteArrayList<>();

  private LogLines(Logger logger) {
    this.logger = logger;
  }

  /**
   * Begins to listen.
   *
   * @param name of the class in {@code io.penstock.core}, its package before it
   */
  public static LogLines of(String name) {
    var lines = new LogLines((Logger) LoggerFactory.getLogger("io.penstock.core." + name));
    lines.setContext(lines.logger.getLoggerContext());
    lines.start();
    lines.logger.addAppender(lines);
    return lines;
  }

  @Override
  protected void append(ILoggingEvent event) {
    lines.add(event.getFormattedMessage());
  }

  public List<String> get() {
    return lines;
  }

  @Override
  public void close() {
    logger.detachAppender(this);
  }
}
