package io.penstock.server;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Where {@code java -jar penstock.jar} begins. */
@SpringBootApplication
public class PenstockApplication {

  private static final String LEAK_DETECTION = "io.netty.leakDetection.level";

  /** Starts the application. */
  public static void main(String[] args) {
    if (System.getProperty(LEAK_DETECTION) == null) {
      // Netty's default samples buffers and takes a stack trace of each: that is for tests.
      System.setProperty(LEAK_DETECTION, "disabled");
    }
    SpringApplication.run(PenstockApplication.class, args);
  }
}
