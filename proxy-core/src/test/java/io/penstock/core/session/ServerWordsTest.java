package io.penstock.core.session;

import io.penstock.core.command.HelloFacts;
import io.penstock.core.command.HelloFacts.Module;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Replies that follow the version of the servers. Expected ones are those of that version. */
class ServerWordsTest {

  private static final String ABORTED =
      "-EXECABORT Transaction discarded because of previous errors.\r\n";
  private static final String UNKNOWN_OR_WRONG =
      "-ERR unknown subcommand or wrong number of arguments for '";

  private final RigOptions options = new RigOptions().single();
  private @Nullable Rig rig;

  @AfterEach
  void close() {
    if (rig != null) {
      rig.close();
    }
  }

  private Peer client(String servers) {
    Rig started = options.servers(servers).start();
    rig = started;
    return started.client();
  }

  @ParameterizedTest
  @CsvSource({
    "redis 7.0.15, ERR MULTI calls can not be nested, ERR WATCH inside MULTI is not allowed",
    "redis 8.6.3, ERR MULTI calls can not be nested, ERR WATCH inside MULTI is not allowed",
    "valkey 7.2.0, ERR MULTI calls can not be nested, ERR WATCH inside MULTI is not allowed"
  })
  void multiAndWatchInATransactionAreAnError(String servers, String multi, String watch) {
    client(servers)
        .send("MULTI\r\nMULTI\r\nEXEC\r\nMULTI\r\nWATCH a\r\nEXEC\r\n")
        .expect("+OK\r\n-" + multi + "\r\n*0\r\n+OK\r\n-" + watch + "\r\n*0\r\n");
  }

  @ParameterizedTest
  @CsvSource({
    "valkey 8.0.0, Command not, Command not",
    "valkey 8.1.8, Command not, Command not",
    "valkey 9.0.0, Command 'multi' not, Command 'watch' not"
  })
  void multiAndWatchInATransactionAbortItSinceValkey8(String servers, String multi, String watch) {
    client(servers)
        .send("MULTI\r\nMULTI\r\nEXEC\r\nMULTI\r\nWATCH a\r\nEXEC\r\n")
        .expect("+OK\r\n-ERR " + multi + " allowed inside a transaction\r\n" + ABORTED)
        .expect("+OK\r\n-ERR " + watch + " allowed inside a transaction\r\n" + ABORTED);
  }

  @Test
  void clientReplyInATransactionAbortsItSinceValkey9() {
    client("valkey 9.0.0")
        .send("MULTI\r\nCLIENT REPLY ON\r\nEXEC\r\n")
        .expect("+OK\r\n-ERR Command 'client|reply' not allowed inside a transaction\r\n")
        .expect(ABORTED);
  }

  @ParameterizedTest
  @CsvSource({"redis 8.6.3", "valkey 8.1.8"})
  void clientReplyInATransactionIsQueuedByOthers(String servers) {
    client(servers)
        .send("MULTI\r\nCLIENT REPLY ON\r\nEXEC\r\n")
        .expect("+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n");
  }

  @ParameterizedTest
  @CsvSource({"redis 7.0.15", "redis 8.6.3", "valkey 8.0.0"})
  void furtherArgumentsOfClientPauseAndUnblockAreAnError(String servers) {
    client(servers)
        .send("CLIENT PAUSE 0 a b\r\nCLIENT UNBLOCK 1 a b\r\n")
        .expect(UNKNOWN_OR_WRONG + "PAUSE'. Try CLIENT HELP.\r\n")
        .expect(UNKNOWN_OR_WRONG + "UNBLOCK'. Try CLIENT HELP.\r\n");
  }

  @Test
  void furtherArgumentsOfPauseAndUnblockAreIgnoredSinceValkey81() {
    client("valkey 8.1.0")
        .send("CLIENT PAUSE 0 a b\r\nCLIENT UNBLOCK 99 a b c\r\n")
        .expect("+OK\r\n:0\r\n")
        .send("CLIENT PAUSE x WRITE b\r\nCLIENT UNBLOCK x ERROR c\r\n")
        .expect("-ERR timeout is not an integer or out of range\r\n")
        .expect("-ERR value is not an integer or out of range\r\n")
        .send("CLIENT PAUSE 0 a\r\nCLIENT UNBLOCK 99 a\r\n")
        .expect("-ERR CLIENT PAUSE mode must be WRITE or ALL\r\n")
        .expect("-ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR\r\n");
  }

  @ParameterizedTest
  @CsvSource({
    "redis 8.6.3, -ERR This instance has cluster support disabled",
    "valkey 9.0.0, -ERR This instance has cluster support disabled",
    "valkey 9.1.2, :15495"
  })
  void slotsAreToldWithoutAClusterSinceValkey91(String servers, String reply) {
    client(servers)
        .send("CLUSTER KEYSLOT a\r\nCLUSTER INFO\r\n")
        .expect(reply + "\r\n-ERR This instance has cluster support disabled\r\n");
  }

  @ParameterizedTest
  @CsvSource({"redis 7.2.0", "redis 8.6.3", "valkey 7.2.5", "valkey 9.1.2"})
  void theTimeoutOfWaitIsLimitedSinceRedis72(String servers) {
    client(servers)
        .send("WAIT 0 9223372036854775807\r\n")
        .expect("-ERR timeout is out of range\r\n");
  }

  @Test
  void helloTellsModulesAndTheZone() {
    var lua = new Module("lua", 1, "lua", List.of());
    options.hello(new HelloFacts(List.of(lua, new Module("m", 2, "/m.so", List.of("x"))), "eu-1"));
    String begin = Wire.bulk("server") + Wire.bulk("valkey") + Wire.bulk("version");
    String end = Wire.bulk("availability_zone") + Wire.bulk("eu-1");

    client("valkey 9.1.2")
        .send("HELLO 2\r\nHELLO 3\r\n")
        .expect("*16\r\n" + begin + Wire.bulk("9.1.2") + about(2))
        .expect("*2\r\n*8\r\n" + module("lua", 1, "lua") + "*0\r\n")
        .expect("*8\r\n" + module("m", 2, "/m.so") + "*1\r\n" + Wire.bulk("x") + end)
        .expect("%8\r\n" + begin + Wire.bulk("9.1.2") + about(3))
        .expect("*2\r\n%4\r\n" + module("lua", 1, "lua") + "*0\r\n")
        .expect("%4\r\n" + module("m", 2, "/m.so") + "*1\r\n" + Wire.bulk("x") + end);
  }

  private static String about(int protocol) {
    return Wire.bulk("proto")
        + (":" + protocol + "\r\n")
        + Wire.bulk("id")
        + ":1\r\n"
        + Wire.bulk("mode")
        + Wire.bulk("standalone")
        + Wire.bulk("role")
        + Wire.bulk("master")
        + Wire.bulk("modules");
  }

  private static String module(String name, int version, String path) {
    return Wire.bulk("name")
        + Wire.bulk(name)
        + Wire.bulk("ver")
        + (":" + version + "\r\n")
        + Wire.bulk("path")
        + Wire.bulk(path)
        + Wire.bulk("args");
  }
}
