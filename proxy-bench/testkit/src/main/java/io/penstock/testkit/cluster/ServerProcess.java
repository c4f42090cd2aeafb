package io.penstock.testkit.cluster;

import io.penstock.testkit.wire.RespClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One server process on a free port, with a temporary folder of its own.
 *
 * <p>It ends with {@link #close}, or with this JVM, however the JVM ends. Not thread-safe.
 */
public final class ServerProcess implements AutoCloseable {

  private static final Duration START = Duration.ofSeconds(20);
  private static final Duration REPLY = Duration.ofSeconds(10);
  private static final int ATTEMPTS = 5;
  private static final String UNIX_SOCKET = "redis.sock";

  private final ServerOptions options;
  private final int port;
  private final int tlsPort;
  private final Watchdog watchdog;

  private ServerProcess(ServerOptions options, int port, int tlsPort, Watchdog watchdog) {
    this.options = options;
    this.port = port;
    this.tlsPort = tlsPort;
    this.watchdog = watchdog;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Starts a server with default settings, ready for commands. */
  public static ServerProcess start() {
    return builder().start();
  }

  static ServerProcess start(ServerBinary binary, ServerOptions options) {
    RuntimeException last = null;
    for (int i = 0; i < ATTEMPTS; i++) {
      int port = FreePorts.take(options.host());
      ServerProcess server = prepare(binary, options, port);
      try {
        server.run();
        return server;
      } catch (RuntimeException e) {
        boolean portLost = server.logTail().contains("in use");
        Closing.after(e, server::close);
        if (!portLost) {
          throw e;
        }
        last = e;
      }
    }
    throw new IllegalStateException("every free port was taken before it could be used", last);
  }

  public String host() {
    return options.host();
  }

  public int port() {
    return port;
  }

  /** The port for TLS; 0 if the server has none. */
  public int tlsPort() {
    return tlsPort;
  }

  /** The Unix socket, if {@link Builder#unixSocket} was called. */
  public Path unixSocket() {
    return folder().resolve(UNIX_SOCKET);
  }

  /** Process id of the running or last server process. */
  public long pid() {
    return watchdog.pid();
  }

  public Path folder() {
    return watchdog.folder();
  }

  public boolean isRunning() {
    return watchdog.isRunning();
  }

  /** Kills the process with SIGKILL, as a crash. Returns when its port is free. */
  public void kill() {
    watchdog.signal("KILL");
    watchdog.awaitEnd();
  }

  /** Shuts the process down with SIGTERM. Returns when its port is free. */
  public void stop() {
    watchdog.signal("TERM");
    watchdog.signal("CONT");
    watchdog.awaitEnd();
  }

  /** Freezes the process with SIGSTOP: connections stay open, nothing is answered. */
  public void pause() {
    watchdog.signal("STOP");
  }

  /** Ends {@link #pause}. */
  public void resume() {
    watchdog.signal("CONT");
  }

  /** Starts the process again on the same port; kills it first if it still runs. */
  public void restart() {
    kill();
    run();
  }

  /** A new authenticated connection. */
  public RespClient connect() {
    return connect(REPLY);
  }

  /** The same with a limit on the connection and on each read. */
  RespClient connect(Duration timeout) {
    RespClient connection = RespClient.open(options.host(), port, timeout);
    try {
      String password = options.password();
      if (password != null) {
        String user = options.user();
        connection.value("AUTH", user == null ? "default" : user, password);
      }
      return connection;
    } catch (RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /** One command on a connection of its own; see {@link RespClient#text}. */
  public String text(String... command) {
    try (RespClient connection = connect()) {
      return connection.text(command);
    }
  }

  /** The last lines of the server's log. */
  public String logTail() {
    return Watchdog.tail(watchdog.log());
  }

  /** Kills the process and removes its folder. */
  @Override
  public void close() {
    try {
      watchdog.close();
    } finally {
      FreePorts.giveBack(port);
      FreePorts.giveBack(tlsPort);
    }
  }

  @Override
  public String toString() {
    return options.host() + ":" + port + " (pid " + pid() + ")";
  }

  private static ServerProcess prepare(ServerBinary binary, ServerOptions options, int port) {
    int tlsPort = options.tls() == null ? 0 : FreePorts.take(options.host());
    Path folder = Watchdog.quickFolder("penstock-server-");
    Path configuration = folder.resolve("server.conf");
    Watchdog watchdog = Watchdog.over(folder, command(binary, options, configuration));
    try {
      List<String> lines = options.with("dir", folder.toString()).configuration(port, tlsPort);
      Files.write(configuration, lines);
    } catch (IOException e) {
      watchdog.close();
      throw new UncheckedIOException(e);
    }
    return new ServerProcess(options, port, tlsPort, watchdog);
  }

  private static List<String> command(
      ServerBinary binary, ServerOptions options, Path configuration) {
    String executable = binary.path().toString();
    return options.sentinel()
        ? List.of(executable, configuration.toString(), "--sentinel")
        : List.of(executable, configuration.toString());
  }

  private void run() {
    watchdog.start();
    Waiting.until(
        "a server on port " + port + " answers",
        START,
        () -> !isRunning() || answers(),
        this::logTail);
    if (!isRunning()) {
      throw new IllegalStateException("the server on port " + port + " ended:\n" + logTail());
    }
  }

  private boolean answers() {
    try {
      return text("PING").equals("PONG");
    } catch (UncheckedIOException | RespClient.ErrorReply e) {
      return false;
    }
  }

  /** Builds a server. */
  public static final class Builder {

    private @Nullable ServerBinary binary;
    private ServerOptions options = ServerOptions.PLAIN;

    private Builder() {}

    /** The executable; {@link ServerBinary#find} when not set. */
    public Builder binary(ServerBinary executable) {
      binary = executable;
      return this;
    }

    /** Adds a line to the configuration file, for example {@code option("maxmemory", "100mb")}. */
    public Builder option(String directive, String... values) {
      options = options.with(directive, values);
      return this;
    }

    /** Address to listen on; 127.0.0.1 when not set. */
    public Builder host(String address) {
      options = options.onHost(address);
      return this;
    }

    /** Adds a Unix socket, in the folder of the server. */
    public Builder unixSocket() {
      return option("unixsocket", UNIX_SOCKET);
    }

    /** Sets {@code requirepass}. */
    public Builder password(String password) {
      options = options.protectedBy(null, password);
      return this;
    }

    /** Allows this user everything and turns the default user off. */
    public Builder user(String user, String password) {
      options = options.protectedBy(user, password);
      return this;
    }

    /** Adds a port for TLS. */
    public Builder tls(TlsFiles files) {
      options = options.over(files);
      return this;
    }

    public ServerProcess start() {
      return ServerProcess.start(binary == null ? ServerBinary.find() : binary, options);
    }
  }
}
