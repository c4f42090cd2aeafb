package io.penstock.core.session;

import static io.penstock.core.session.Requests.PING;
import static io.penstock.core.session.Requests.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.network.Peer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code CLIENT LIST} and {@code CLIENT KILL} in front of servers of several versions. Expected
 * replies are those of redis-server 7.0.15 to 8.6.3, and of valkey-server 8.1.8 and 9.1.2.
 */
class ClientFilterTest {

  private static final Pattern NAME = Pattern.compile(" name=(\\S*) ");

  private Rig rig = Rig.cluster();

  @AfterEach
  void close() {
    rig.close();
  }

  private void startInFrontOf(String server) {
    rig.close();
    rig = new RigOptions().single().servers(server.toLowerCase(Locale.ROOT) + ".0").start();
  }

  /** Starts three clients, of which the first subscribes and the last has a database and names. */
  private Peer threeClients() {
    Peer sub = rig.client();
    sub.send("CLIENT SETNAME sub\r\nSUBSCRIBE x\r\n").expect("+OK\r\n");
    Peer feed = rig.acceptSubscriberConnection(0).expect(call("subscribe x"));
    String subscribed = "$9\r\nsubscribe\r\n$1\r\nx\r\n:1\r\n";
    feed.send(">3\r\n" + subscribed);
    sub.expect("*3\r\n" + subscribed);
    Peer other = rig.client();
    other.send("CLIENT SETNAME other\r\nCLIENT CAPA bogus REDIRECT\r\n").expect("+OK\r\n+OK\r\n");
    Peer me = rig.client();
    me.send("CLIENT SETNAME me\r\nCLIENT SETINFO LIB-NAME lib\r\nCLIENT SETINFO LIB-VER 1.2\r\n")
        .expect("+OK\r\n+OK\r\n+OK\r\n");
    return me;
  }

  private static List<String> listed(Peer client, String options) {
    client.send("CLIENT LIST " + options + "\r\n");
    return NAME.matcher(client.readBulk()).results().map(found -> found.group(1)).toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "; sub other me",
        "NAME other; other",
        "NAME OTHER; ''",
        "NAME \"\"; ''",
        "NOT-NAME other; sub me",
        "NOT-NAME other NAME other; ''",
        "NAME sub NAME me; me",
        "ID 1 3; sub me",
        "ID 1 ID 2; sub other",
        "ID 1 2 3 NOT-ID 2; sub me",
        "ID TYPE normal; ''",
        "NOT-ID TYPE normal; other me",
        "TYPE normal NOT-ID; other me",
        "TYPE normal ID; ''",
        "NOT-ID 1 NOT-ID 2; me",
        "TYPE pubsub; sub",
        "NOT-TYPE pubsub; other me",
        "TYPE primary; ''",
        "NOT-TYPE primary; sub other me",
        "TYPE normal NOT-TYPE normal; ''",
        "DB 0; sub other me",
        "NOT-DB 0; ''",
        "DB 1; ''",
        "LIB-NAME lib LIB-VER 1.2; me",
        "LIB-NAME lib LIB-VER 1.3; ''",
        "LIB-NAME \"\"; ''",
        "NOT-LIB-NAME lib; sub other",
        "NOT-LIB-VER 1.2; sub other",
        "IDLE 1000; ''",
        "MAXAGE 1000; ''",
        "FLAGS P; sub",
        "FLAGS N; other me",
        "FLAGS NP; ''",
        "FLAGS \"\"; sub other me",
        "NOT-FLAGS P; other me",
        "NOT-FLAGS xP; sub other me",
        "NOT-FLAGS \"\"; ''",
        "CAPA r; other",
        "NOT-CAPA r; sub me",
        "CAPA \"\"; sub other me",
        "IP 127.0.0.1; sub other me",
        "NOT-IP 127.0.0.1; ''",
        "IP 127.0.0.1:1; ''",
        "USER default; sub other me",
        "NOT-USER default; ''",
        "ADDR 1.1.1.1:5; ''",
        "NOT-ADDR 1.1.1.1:5 NOT-LADDR 1.1.1.1:5; sub other me",
        "LADDR 1.1.1.1:5; ''",
        "SKIPME yes; sub other",
        "SKIPME yes SKIPME no; sub other me",
        "skipme YES type normal; other"
      })
  void valkey9ListsByManyConditions(String options, String names) {
    startInFrontOf("Valkey 9.0");
    Peer me = threeClients();

    assertThat(listed(me, options == null ? "" : options))
        .isEqualTo(names.isEmpty() ? List.of() : Arrays.asList(names.split(" ", -1)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "NAME other; 1",
        "NOT-NAME other; 1",
        "ID 1 2 999; 2",
        "NOT-ID 1 TYPE normal; 1",
        "FLAGS N; 1",
        "TYPE normal NAME sub; 0"
      })
  void valkey9KillsByManyConditions(String options, int killed) {
    startInFrontOf("Valkey 9.0");
    Peer me = threeClients();

    me.send(call("CLIENT KILL " + options) + PING).expect(":" + killed + "\r\n+PONG\r\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "NAME; ERR syntax error",
        "BOGUS x; ERR syntax error",
        "DB 0 x; ERR syntax error",
        "NOT-SKIPME no; ERR syntax error",
        "NOT-MAXAGE 1; ERR syntax error",
        "NOT-IDLE 1; ERR syntax error",
        "NOT-ID; ERR syntax error",
        "ID x; ERR syntax error",
        "ID 5 x; ERR syntax error",
        "ID 0; ERR client-id should be greater than 0",
        "NOT-ID 1 -5; ERR client-id should be greater than 0",
        "DB x; ERR DB is not an integer or out of range",
        "DB 99999999999; ERR DB is not an integer or out of range",
        "not-db x; ERR NOT-DB is not an integer or out of range",
        "IDLE 0; ERR idle should be greater than 0",
        "IDLE x; ERR idle is not an integer or out of range",
        "MAXAGE 0; ERR maxage should be greater than 0",
        "MAXAGE x; ERR maxage is not an integer or out of range",
        "TYPE bogus; ERR Unknown client type 'bogus'",
        "NOT-TYPE bogus; ERR Unknown client type 'bogus'",
        "USER bogus; ERR No such user 'bogus'",
        "NOT-USER bogus; ERR No such user 'bogus'",
        "FLAGS NZ; ERR Unknown flags found in the provided filter: NZ",
        "not-flags Zx; ERR Unknown flags found in the NOT-FLAGS filter: Zx",
        "CAPA ri; ERR Unknown capa found in the provided filter: ri",
        "NOT-CAPA z; ERR Unknown capa found in the NOT-CAPA filter: z",
        "SKIPME x; ERR syntax error",
        "NAME n SKIPME yes TYPE bogus; ERR Unknown client type 'bogus'"
      })
  void valkey9NamesWhatIsWrong(String options, String error) {
    startInFrontOf("Valkey 9.0");
    Peer client = rig.client();

    client.send("CLIENT LIST " + options + "\r\n").expect("-" + error + "\r\n");
    if (options.contains(" ")) { // else it is an address
      client.send("CLIENT KILL " + options + "\r\n").expect("-" + error + "\r\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Redis 7.0", "Redis 8.6", "Valkey 8.0"})
  void othersListByTypeOrIds(String server) {
    startInFrontOf(server);
    Peer me = threeClients();

    for (String options :
        List.of("NAME me", "NOT-ID 1", "DB 0", "USER default", "SKIPME yes", "TYPE normal ID 1")) {
      me.send("CLIENT LIST " + options + "\r\n").expect("-ERR syntax error\r\n");
    }
    assertThat(listed(me, "TYPE normal")).containsExactly("other", "me");
    assertThat(listed(me, "ID 0 1 3")).containsExactly("sub", "me");
    me.send("CLIENT LIST ID 1 x\r\n").expect("-ERR Invalid client ID\r\n");
    me.send("CLIENT KILL NAME me ID 1\r\n").expect("-ERR syntax error\r\n");
    me.send("CLIENT KILL ID 1 2\r\n").expect("-ERR syntax error\r\n");
    me.send("CLIENT KILL ID x TYPE normal\r\n")
        .expect("-ERR client-id should be greater than 0\r\n");
    me.send("CLIENT KILL TYPE primary\r\n")
        .expect(server.startsWith("Valkey") ? ":0\r\n" : "-ERR Unknown client type 'primary'\r\n");
  }

  @Test
  void valkey81HasOneSyntaxWithFewConditions() {
    startInFrontOf("Valkey 8.1");
    Peer me = threeClients();

    me.send("CLIENT LIST NAME me\r\n").expect("-ERR syntax error\r\n");
    me.send("CLIENT LIST NOT-ID 1\r\n").expect("-ERR syntax error\r\n");
    me.send("CLIENT LIST ID 0\r\n").expect("-ERR client-id should be greater than 0\r\n");
    assertThat(listed(me, "TYPE normal ID 1 2 SKIPME yes")).containsExactly("other");
    assertThat(listed(me, "USER default MAXAGE 1000")).isEmpty();
    me.send("CLIENT KILL ID 1 2 TYPE pubsub\r\n").expect(":1\r\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "Redis 7.0; flags=N db=; multi=-1 qbuf=; resp=2$",
        "Redis 7.2; flags=N db=; multi=-1 qbuf=; resp=2 lib-name= lib-ver=$",
        "Redis 7.4; flags=N db=; multi=-1 watch=0 qbuf=; resp=2 lib-name= lib-ver=$",
        "Redis 8.0; flags=N db=; multi=-1 watch=0 qbuf=; resp=2 lib-name= lib-ver= io-thread=0$",
        "Redis 8.2; flags=N db=; multi=-1 watch=0 qbuf=;"
            + " resp=2 lib-name= lib-ver= io-thread=0 tot-net-in=13 tot-net-out=0 tot-cmds=1$",
        "Valkey 7.2; flags=N db=; multi=-1 qbuf=; resp=2 lib-name= lib-ver=$",
        "Valkey 9.0; flags=N capa= db=; multi=-1 watch=0 qbuf=;"
            + " resp=2 lib-name= lib-ver= tot-net-in=13 tot-net-out=0 tot-cmds=1$"
      })
  void linesHaveTheFieldsOfTheServer(String server, String one, String two, String end) {
    startInFrontOf(server);
    Peer client = rig.client();

    client.send("CLIENT INFO\r\n");

    assertThat(client.readBulk() + "$")
        .contains(" " + one)
        .contains(" " + two)
        .endsWith(end.replace("$", "\n$"));
  }

  @Test
  void aLibraryIsShownInFrontOfAnyServer() {
    startInFrontOf("Redis 7.0");
    Peer client = rig.client();

    client.send("CLIENT SETINFO LIB-NAME lib\r\nCLIENT INFO\r\n").expect("+OK\r\n");

    assertThat(client.readBulk()).endsWith(" resp=2 lib-name=lib lib-ver=\n");
  }

  @ParameterizedTest
  @CsvSource({
    "Redis 7.0, -ERR This instance has cluster support disabled",
    "Redis 8.6, -ERR This instance has cluster support disabled",
    "Valkey 7.2, -ERR This instance has cluster support disabled",
    "Valkey 8.0, +OK",
    "Valkey 9.1, +OK"
  })
  void readonlyFollowsTheSingleServer(String server, String reply) {
    startInFrontOf(server);
    Peer client = rig.client();

    client.send("READONLY\r\nREADWRITE\r\n").expect((reply + "\r\n").repeat(2));
    client
        .send("MULTI\r\nREADONLY\r\nEXEC\r\n")
        .expect("+OK\r\n+QUEUED\r\n*1\r\n" + reply + "\r\n");
    client.send("ASKING\r\n").expect("-ERR This instance has cluster support disabled\r\n");
  }

  @Test
  void aClientWithReadonlyHasItsFlag() {
    startInFrontOf("Valkey 9.1");
    Peer client = rig.client();
    client.send("CLIENT SETNAME me\r\nREADONLY\r\n").expect("+OK\r\n+OK\r\n");

    assertThat(listed(client, "FLAGS r")).containsExactly("me");
    client.send("READWRITE\r\n").expect("+OK\r\n");
    assertThat(listed(client, "FLAGS r")).isEmpty();
    client.send("READONLY\r\nRESET\r\n").expect("+OK\r\n+RESET\r\n");
    assertThat(listed(client, "FLAGS r")).isEmpty();
  }
}
