package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.command.CommandTable;
import io.penstock.core.spec.CommandSpec;
import io.penstock.server.it.AclServers.Both;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two dozen users send the same requests to a server and through Penstock: what the one does not
 * permit, the other does not permit either, in the same words.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UsersDifferentialIT {

  /** Rules of users {@code u0}, {@code u1} and so on, who may call {@code MULTI} besides. */
  private static final String[] RULES = {
    "+@all ~* &*",
    "-@all",
    "+@all",
    "+@all ~{d}s* &news.*",
    "+@all %R~{d}* &*",
    "+@all %W~{d}* &{d}none",
    "+@all %R~{d}* %W~{d}s* &*",
    "+@read +@write ~{d}string ~{d}list",
    "+@read ~*",
    "+@write ~*",
    "+@all -@dangerous ~* &*",
    "+@all -@admin -@scripting ~* &x",
    "+@all -set -config ~* &*",
    "+@all -config|get -client|kill ~*",
    "-@all +config|get +acl|whoami +get ~*",
    "+@hash +@list +@set +@sortedset ~{d}[hlsz]*",
    "+@stream +@pubsub ~{d}stream &{d}*",
    "+@string +@connection +@transaction ~?d?string",
    "+get +set +mget +mset ~{d}none (+@all ~{d}string) (+@read %R~{d}*)",
    "+@all ~{d}none (+@keyspace ~* &*)",
    "+get|x +select|0 +select|3 +object|encoding ~*",
    "+@fast -@write ~* resetchannels",
    "+@slow -@read +@blocking ~{d}* &*",
    "+sort +eval +evalsha +fcall +copy +rename ~{d}string ~{d}set",
  };

  /** Within a transaction these run at once, or end it, and not every version has all of them. */
  private static final Set<String> NOT_QUEUED =
      Set.of("multi", "exec", "discard", "watch", "quit", "reset");

  private static final String UNKNOWN = "unknown";

  /** Requests whose whole replies are compared; all of one connection. */
  private static final List<String> REQUESTS =
      List.of(
          "SET {d}string 1",
          "GET {d}string",
          "get {d}none",
          "MSET {d}string 1 {d}other 2",
          "MGET {d}string {d}none",
          "DEL {d}string {d}x",
          "RPUSH {d}list 1 2 3",
          "LRANGE {d}list 0 -1",
          "LMOVE {d}list {d}none LEFT RIGHT",
          "SORT {d}list",
          "SORT {d}list BY w* GET #",
          "SORT {d}list STORE {d}none",
          "SORT {d}list STORE other",
          "SADD {d}set 1",
          "SUNIONSTORE {d}none {d}set {d}set",
          "SINTERCARD 1 {d}set",
          "ZADD {d}zset 1 a",
          "ZUNION 2 {d}zset {d}none WITHSCORES",
          "XADD {d}stream 1-1 f v",
          "XREAD COUNT 1 STREAMS {d}stream 0",
          "LMPOP 2 {d}none {d}list LEFT",
          "BLPOP {d}list 0.01",
          "HSET {d}hash f v",
          "HGETALL {d}hash",
          "COPY {d}string {d}none",
          "RENAME {d}hash {d}none",
          "BITFIELD {d}string GET u8 0",
          "BITFIELD {d}string SET u8 0 1",
          "SET {d}string 2 GET",
          "GETSET {d}string 1",
          "PUBLISH news.1 x",
          "PUBLISH x y",
          "OBJECT ENCODING {d}string",
          "OBJECT HELP",
          "TOUCH {d}string",
          "DBSIZE",
          "SELECT 0",
          "ECHO x",
          "PING",
          "NOTHING",
          "GET",
          "FLUSHDB",
          "ACL WHOAMI",
          "ACL GETUSER u1",
          "CLIENT GETNAME",
          "CLIENT ID x");

  private AclServers servers;

  @BeforeAll
  void start() {
    servers =
        AclServers.start(
            IntStream.range(0, RULES.length)
                .mapToObj(i -> "u" + i + " on >u" + i + " " + RULES[i] + " +multi")
                .toArray(String[]::new));
  }

  @AfterAll
  void stop() {
    servers.close();
  }

  static IntStream users() {
    return IntStream.range(0, RULES.length);
  }

  /** In a transaction, permissions are checked and nothing runs. */
  @Test
  void everyCommandIsPermittedOrDeniedAsByAServer() {
    List<String> differences = new ArrayList<>();
    int denied = 0;
    int compared = 0;
    for (String user : users().mapToObj(i -> "u" + i).toList()) {
      try (Both client = servers.connect()) {
        for (CommandSpec spec : CommandTable.load().specs()) {
          List<List<byte[]>> calls =
              NOT_QUEUED.contains(spec.name()) ? List.of() : DerivedCalls.right(spec);
          List<String> server = verdicts(client.server(), user, calls);
          List<String> proxy = verdicts(client.proxy(), user, calls);
          for (int i = 0; i < calls.size(); i++) {
            compared++;
            denied += server.get(i).isEmpty() ? 0 : 1;
            if (!server.get(i).equals(UNKNOWN)
                && !isSame(server.get(i), proxy.get(i))
                && !(spec.name().equals("pfmerge") && calls.get(i).size() == 2)) {
              differences.add(
                  user + " " + text(calls.get(i)) + ": " + server.get(i) + " / " + proxy.get(i));
            }
          }
        }
      }
    }
    assertThat(differences).isEmpty();
    assertThat(denied).isGreaterThan(1_000).isLessThan(compared - 1_000);
  }

  /**
   * Scripts are permitted to users of all keys only. In {@code PFMERGE} without sources servers
   * find no key, and so permit any.
   */
  private static boolean isSame(String server, String proxy) {
    return server.equals(proxy)
        || (server.isEmpty() && proxy.equals(UNKNOWN)) // rejected for all users
        || (server.isEmpty() && proxy.startsWith("-NOPERM scripts run with this proxy's rights"));
  }

  private static String text(List<byte[]> call) {
    return String.join(" ", call.stream().map(Wire::text).toList());
  }

  /**
   * Returns an error for each call that is denied, an empty text for one that is permitted, and
   * {@link #UNKNOWN} for one that has another error before permissions are checked.
   */
  private static List<String> verdicts(RespClient client, String user, List<List<byte[]>> calls) {
    if (calls.isEmpty()) {
      return List.of();
    }
    client.write(Wire.request("RESET"));
    client.write(Wire.request("AUTH", user, user));
    client.write(Wire.request("MULTI"));
    for (List<byte[]> call : calls) {
      client.write(Wire.requestBytes(call.toArray(new byte[0][])));
    }
    client.flush();
    client.read();
    client.read();
    String begun = client.read();
    List<String> verdicts = new ArrayList<>();
    for (int i = 0; i < calls.size(); i++) {
      String reply = client.read();
      boolean other = !begun.equals("+OK\r\n") || reply.startsWith("-ERR");
      verdicts.add(reply.startsWith("-NOPERM") ? reply : other ? UNKNOWN : "");
    }
    return verdicts;
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void repliesAreThoseOfAServer(int protocol) {
    List<String> differences = new ArrayList<>();
    for (String user : users().mapToObj(i -> "u" + i).toList()) {
      try (Both client = servers.connect()) {
        client.ask("FLUSHALL");
        client.call("HELLO", Integer.toString(protocol), "AUTH", user, user);
        for (String line : REQUESTS) {
          client.send(line.split(" "));
        }
        for (String line : REQUESTS) {
          Both.Replies replies = client.read();
          if (!replies.proxy().equals(replies.server())) {
            differences.add(user + " " + line + ": " + replies);
          }
        }
      }
    }
    assertThat(differences).isEmpty();
  }

  @Test
  void inlineRequestsAreCheckedToo() {
    for (String user : users().mapToObj(i -> "u" + i).toList()) {
      try (Both client = servers.connect()) {
        for (RespClient each : List.of(client.server(), client.proxy())) {
          each.write("AUTH " + user + " " + user + "\r\nGeT {d}string\r\nsEt {d}none 1\r\n");
          each.write("cOnFiG gEt x\r\nPUBLISH news.1 x\r\nFLUSHALL\r\n");
          each.flush();
        }
        for (int i = 0; i < 6; i++) {
          Both.Replies replies = client.read();
          assertThat(replies.proxy().startsWith("-NOPERM"))
              .as(user + " " + i + ": " + replies)
              .isEqualTo(replies.server().startsWith("-NOPERM"));
        }
      }
    }
  }
}
