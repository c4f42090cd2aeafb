package io.penstock.core.session;

import static io.penstock.core.session.Requests.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Expected replies are those of redis-server 7.0.15 to the same lines. */
class LocalRepliesTest {

  private static final String SERVER =
      "$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n";

  private static String hello(int protocol, int id) {
    return (protocol == 3 ? "%7\r\n" : "*14\r\n")
        + SERVER
        + ("$5\r\nproto\r\n:" + protocol + "\r\n$2\r\nid\r\n:" + id + "\r\n")
        + "$4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n$7\r\nmodules\r\n*0\r\n";
  }

  /** Sends the lines at once and expects exactly these replies. */
  private static void exchange(Rig rig, String lines, String replies) {
    Peer client = rig.client();
    client.send(lines + "ECHO end\r\n");
    client.expect(replies + "$3\r\nend\r\n");
  }

  @Nested
  class OfAServerWithoutPassword {

    private final Rig rig = new RigOptions().single().start();

    @AfterEach
    void close() {
      rig.close();
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = ';',
        quoteCharacter = '\u0001',
        ignoreLeadingAndTrailingWhitespace = false,
        value = {
          "PING;+PONG",
          "ping hello;$5|hello",
          "PING \"\";$0|",
          "PING a b;-ERR wrong number of arguments for 'ping' command",
          "ECHO hi;$2|hi",
          "ECHO;-ERR wrong number of arguments for 'echo' command",
          "ECHO a b;-ERR wrong number of arguments for 'echo' command",
          "RESET;+RESET",
          "SELECT 0;+OK",
          "SELECT -1;-ERR DB index is out of range",
          "SELECT x;-ERR value is not an integer or out of range",
          "SELECT 99999999999999999999;-ERR value is not an integer or out of range",
          "SELECT 4294967296;-ERR value is out of range, value must between -2147483648 and"
              + " 2147483647",
          "CLIENT GETNAME;$-1",
          "CLIENT SETNAME me;+OK",
          "CLIENT SETNAME \"a b\";-ERR Client names cannot contain spaces, newlines or special"
              + " characters.",
          "CLIENT NO-EVICT on;+OK",
          "CLIENT NO-EVICT OFF;+OK",
          "CLIENT NO-EVICT maybe;-ERR syntax error",
          "CLIENT NO-TOUCH on;-ERR CLIENT NO-TOUCH is not supported by this proxy: clients share its"
              + " connections to nodes",
          "CLIENT NO-TOUCH OFF;+OK",
          "CLIENT NO-TOUCH maybe;-ERR syntax error",
          "CLIENT REPLY foo;-ERR syntax error",
          "CLIENT LIST foo;-ERR syntax error",
          "CLIENT LIST ID;-ERR syntax error",
          "CLIENT LIST ID x;-ERR Invalid client ID",
          "CLIENT LIST ID 0;$0|",
          "CLIENT LIST ID 999;$0|",
          "CLIENT LIST TYPE replica;$0|",
          "CLIENT LIST TYPE foo;-ERR Unknown client type 'foo'",
          "CLIENT FOO;-ERR unknown subcommand 'FOO'. Try CLIENT HELP.",
          "AUTH x;-ERR AUTH <password> called without any password configured for the default"
              + " user. Are you sure your configuration is correct?",
          "AUTH default x;+OK",
          "AUTH foo bar;-WRONGPASS invalid username-password pair or user is disabled.",
          "AUTH a b c;-ERR syntax error",
          "AUTH;-ERR wrong number of arguments for 'auth' command",
          "HELLO x;-ERR Protocol version is not an integer or out of range",
          "HELLO 1;-NOPROTO unsupported protocol version",
          "HELLO 4;-NOPROTO unsupported protocol version",
          "HELLO 3 AUTH a;-ERR Syntax error in HELLO option 'AUTH'",
          "HELLO 3 SETNAME;-ERR Syntax error in HELLO option 'SETNAME'",
          "HELLO 3 FOO;-ERR Syntax error in HELLO option 'FOO'",
          "HELLO 3 \"F\\x00O\";-ERR Syntax error in HELLO option 'F'",
          "HELLO 3 SETNAME \"a b\";-ERR Client names cannot contain spaces, newlines or special"
              + " characters.",
          "HELLO 3 AUTH bob x;-WRONGPASS invalid username-password pair or user is disabled.",
          "\"\";-ERR unknown command '', with args beginning with: "
        })
    void commandsAreAnsweredAsInRedis(String line, String reply) {
      exchange(rig, line + "\r\n", reply.replace("|", "\r\n") + "\r\n");
    }

    @Test
    void helloRepliesInTheRequestedProtocol() {
      exchange(rig, "HELLO\r\n", hello(2, 1));
      exchange(rig, "HELLO 3\r\n", hello(3, 2));
      exchange(
          rig, "HELLO 3\r\nHELLO 2\r\nCLIENT GETNAME\r\n", hello(3, 3) + hello(2, 3) + "$-1\r\n");
    }

    @Test
    void helloCanSetCredentialsAndAName() {
      exchange(
          rig,
          "hello 3 auth default x setname me\r\nCLIENT GETNAME\r\n",
          hello(3, 1) + "$2\r\nme\r\n");
    }

    @Test
    void resp3HasItsOwnNull() {
      exchange(rig, "HELLO 3\r\nCLIENT GETNAME\r\n", hello(3, 1) + "_\r\n");
    }

    @Test
    void aRejectedHelloChangesNothing() {
      exchange(
          rig,
          "HELLO 3 SETNAME \"a b\"\r\nHELLO 3 AUTH bob x SETNAME me\r\nHELLO 9\r\n"
              + "CLIENT GETNAME\r\n",
          "-ERR Client names cannot contain spaces, newlines or special characters.\r\n"
              + "-WRONGPASS invalid username-password pair or user is disabled.\r\n"
              + "-NOPROTO unsupported protocol version\r\n$-1\r\n");
    }

    @Test
    void clientNamesAreKeptUntilCleared() {
      exchange(
          rig,
          "CLIENT SETNAME me\r\nCLIENT GETNAME\r\nCLIENT SETNAME \"\"\r\nCLIENT GETNAME\r\n",
          "+OK\r\n$2\r\nme\r\n+OK\r\n$-1\r\n");
    }

    @Test
    void resetRestoresTheInitialState() {
      exchange(
          rig,
          "HELLO 3 SETNAME me\r\nRESET\r\nCLIENT GETNAME\r\n",
          hello(3, 1) + "+RESET\r\n$-1\r\n");
    }

    @Test
    void clientIdsGrow() {
      exchange(rig, "CLIENT ID\r\n", ":1\r\n");
      exchange(rig, "CLIENT ID\r\n", ":2\r\n");
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = ';',
        value = {
          "CLIENT REPLY OFF|PING a|CLIENT REPLY ON|PING b; +OK|$1|b|",
          "CLIENT REPLY SKIP|PING a|PING b; $1|b|",
          "CLIENT REPLY SKIP|CLIENT REPLY SKIP|PING a|PING b; $1|b|",
          "CLIENT REPLY SKIP|CLIENT REPLY ON|PING; +OK|+PONG|",
          "CLIENT REPLY OFF|CLIENT REPLY SKIP|PING|CLIENT REPLY ON; +OK|",
          "CLIENT REPLY OFF|FOO|GET|CLIENT REPLY ON; +OK|",
          "CLIENT REPLY SKIP|CLIENT LIST|PING; +PONG|",
          "CLIENT REPLY OFF|RESET|PING; +RESET|+PONG|",
          "CLIENT REPLY SKIP|RESET|PING; +PONG|",
          "CLIENT REPLY ON|PING; +OK|+PONG|"
        })
    void repliesCanBeTurnedOffAndSkipped(String lines, String replies) {
      exchange(rig, lines.replace("|", "\r\n") + "\r\n", replies.replace("|", "\r\n"));
    }

    @Test
    void commandsRunWhileRepliesAreOff() {
      Peer client = rig.client();
      client.send("CLIENT REPLY SKIP\r\n" + get("a") + get("b"));
      Peer node = rig.accept(0).expect(get("a") + get("b"));
      node.send(Wire.bulk("x".repeat(50_000)) + "$1\r\nb\r\n");

      client.expect("$1\r\nb\r\n");
    }

    @Test
    void clientInfoHasTheFieldsOfRedis() {
      Peer client = rig.client();
      client.send("CLIENT SETNAME me\r\nCLIENT INFO\r\n").expect("+OK\r\n$");

      String line = lineOf(client);

      assertThat(line)
          .matches(
              Pattern.compile(
                  "id=1 addr=127\\.0\\.0\\.1:\\d+ laddr=127\\.0\\.0\\.1:\\d+ name=me" // no fd with
                      // NIO
                      + " age=0 idle=0 flags=N db=0 sub=0 psub=0 ssub=0 multi=-1 qbuf=\\d+"
                      + " qbuf-free=\\d+ argv-mem=\\d+ multi-mem=0 rbs=\\d+ rbp=\\d+ obl=0 oll=\\d"
                      + " omem=0 tot-mem=\\d+ events=r cmd=client\\|info user=default redir=-1"
                      + " resp=2\n"));
    }

    @Test
    void clientListHasOneLineForEachClient() {
      Peer first = rig.client();
      first.send("CLIENT SETNAME one\r\n").expect("+OK\r\n");
      Peer second = rig.client();
      second.send("CLIENT SETNAME two\r\nCLIENT LIST\r\n").expect("+OK\r\n$");

      String lines = lineOf(second);

      assertThat(lines.lines()).hasSize(2);
      assertThat(lines.lines().toList().get(0)).startsWith("id=1 ").contains(" name=one ");
      assertThat(lines.lines().toList().get(1)).startsWith("id=2 ").contains(" name=two ");
      second.send("CLIENT LIST ID 1\r\n").expect("$");
      assertThat(lineOf(second).lines()).hasSize(1);
    }

    private static String lineOf(Peer client) {
      var length = new StringBuilder();
      for (String digit = client.read(1); !digit.equals("\r"); digit = client.read(1)) {
        length.append(digit);
      }
      client.expect("\n");
      String content = client.read(Integer.parseInt(length.toString()));
      client.expect("\r\n");
      return content;
    }
  }

  @Nested
  class OfAServerWithPassword {

    private final Rig rig = new RigOptions().single().password("pw").start();

    @AfterEach
    void close() {
      rig.close();
    }

    private static final String NO_AUTH = "-NOAUTH Authentication required.\r\n";
    private static final String WRONG =
        "-WRONGPASS invalid username-password pair or user is disabled.\r\n";
    private static final String HELLO_FIRST =
        "-NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO"
            + " AUTH <user> <pass> option can be used to authenticate the client and select the"
            + " RESP protocol version at the same time\r\n";

    private void expectReplies(String lines, String replies) {
      Peer client = rig.client();
      client.send(lines + "QUIT\r\n");
      client.expect(replies + "+OK\r\n").expectClosed();
    }

    @ParameterizedTest
    @CsvSource(
        value = {"PING", "ECHO hi", "GET a", "MULTI", "SUBSCRIBE ch", "CLIENT ID", "COMMAND COUNT"})
    void nothingIsServedBeforeAuthentication(String line) {
      expectReplies(line + "\r\n", NO_AUTH);
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = ';',
        quoteCharacter = '\u0001',
        ignoreLeadingAndTrailingWhitespace = false,
        value = {
          "FOO;-ERR unknown command 'FOO', with args beginning with: ",
          "GET;-ERR wrong number of arguments for 'get' command",
          "CLIENT FOO;-ERR unknown subcommand 'FOO'. Try CLIENT HELP.",
          "AUTH;-ERR wrong number of arguments for 'auth' command",
          "HELLO x;-ERR Protocol version is not an integer or out of range",
          "HELLO 9;-NOPROTO unsupported protocol version",
          "HELLO 3 FOO;-ERR Syntax error in HELLO option 'FOO'",
          "RESET;+RESET"
        })
    void checksHaveTheOrderOfRedis(String line, String reply) {
      expectReplies(line + "\r\n", reply + "\r\n");
    }

    @Test
    void theCorrectPasswordAuthenticates() {
      expectReplies("AUTH pw\r\nPING\r\n", "+OK\r\n+PONG\r\n");
      expectReplies("AUTH default pw\r\nPING\r\n", "+OK\r\n+PONG\r\n");
    }

    @Test
    void aWrongPasswordDoesNotAuthenticate() {
      expectReplies("AUTH no\r\nPING\r\n", WRONG + NO_AUTH);
      expectReplies("AUTH bob pw\r\nPING\r\n", WRONG + NO_AUTH);
      expectReplies("AUTH \"\"\r\nPING\r\n", WRONG + NO_AUTH);
      expectReplies("AUTH pww\r\nPING\r\n", WRONG + NO_AUTH);
    }

    @Test
    void aLaterWrongPasswordChangesNothing() {
      expectReplies("AUTH pw\r\nAUTH no\r\nPING\r\n", "+OK\r\n" + WRONG + "+PONG\r\n");
    }

    @Test
    void helloRequiresAuthentication() {
      expectReplies("HELLO\r\n", HELLO_FIRST);
      expectReplies("HELLO 3\r\n", HELLO_FIRST);
      expectReplies("HELLO 3 SETNAME me\r\n", HELLO_FIRST);
      expectReplies("HELLO 3 AUTH default no\r\nPING\r\n", WRONG + NO_AUTH);
      expectReplies("HELLO 3 AUTH default pw\r\nPING\r\n", hello(3, 5) + "+PONG\r\n");
    }

    @Test
    void resetRequiresAuthenticationAgain() {
      expectReplies("AUTH pw\r\nRESET\r\nPING\r\n", "+OK\r\n+RESET\r\n" + NO_AUTH);
    }

    @Test
    void unauthenticatedClientsHaveSmallLimits() {
      Peer many = rig.client();
      many.send("*11\r\n");
      many.expect("-ERR Protocol error: unauthenticated multibulk length\r\n").expectClosed();
      Peer much = rig.client();
      much.send("*1\r\n$16385\r\n");
      much.expect("-ERR Protocol error: unauthenticated bulk length\r\n").expectClosed();
    }

    @Test
    void authenticationEndsTheSmallLimits() {
      String eleven = "*11\r\n$3\r\nDEL\r\n" + "$1\r\na\r\n".repeat(10);
      Peer client = rig.client();
      client.send("*2\r\n$4\r\nAUTH\r\n$2\r\npw\r\n" + eleven);
      rig.accept(0).expect(eleven).send(":1\r\n");

      client.expect("+OK\r\n:1\r\n");
      client.send("RESET\r\n*11\r\n");
      client.expect("+RESET\r\n-ERR Protocol error: unauthenticated multibulk length\r\n");
    }
  }

  @Nested
  class OfACluster {

    private final Rig rig = Rig.cluster();

    @AfterEach
    void close() {
      rig.close();
    }

    @Test
    void onlyOneDatabaseExists() {
      exchange(
          rig, "SELECT 0\r\nSELECT 1\r\n", "+OK\r\n-ERR SELECT is not allowed in cluster mode\r\n");
    }
  }
}
