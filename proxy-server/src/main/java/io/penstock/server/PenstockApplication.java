package io.penstock.server;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Where {@code java -jar penstock.jar} begins. */
@SpringBootApplication
public class PenstockApplication {

  /** Starts the application. */
  public static void main(String[] args) {
    SpringApplication.run(PenstockApplication.class, args);
  }
}
