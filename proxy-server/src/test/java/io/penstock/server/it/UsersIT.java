package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.it.AclServers.Both;
import io.penstock.testkit.cluster.ServerBinary;
import io.penstock.testkit.wire.RespClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Users of Penstock: what clients see is what a server with the same users answers. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UsersIT {

  private static final String[] USERS = {
    "default on nopass ~* &* +@all",
    "admin on >admin ~* &* +@all",
    "reader on >reader ~* +@read +@connection +@transaction",
    "app on >app ~app:* &news.* +@all -@dangerous",
    "off off >off ~* +@all",
  };

  private AclServers servers;

  @BeforeAll
  void start() {
    servers = AclServers.start(USERS);
  }

  @AfterAll
  void stop() {
    servers.close();
  }

  /** Each test begins with the users of the start. */
  @BeforeEach
  void resetUsers() {
    try (Both admin = servers.connect("admin")) {
      for (String user : USERS) {
        String[] words = ("ACL SETUSER " + user).split(" ");
        String[] reset = new String[words.length + 1];
        System.arraycopy(words, 0, reset, 0, 3);
        reset[3] = "reset";
        System.arraycopy(words, 3, reset, 4, words.length - 3);
        assertThat(admin.ask(reset)).isEqualTo("+OK\r\n");
      }
      admin.ask("ACL", "LOG", "RESET");
      admin.ask("FLUSHALL");
    }
  }

  @Test
  void loginIsAnsweredAsByAServer() {
    try (Both client = servers.connect()) {
      assertThat(client.ask("ACL", "WHOAMI")).contains("default");
      assertThat(client.ask("AUTH", "reader", "wrong")).startsWith("-WRONGPASS");
      assertThat(client.ask("AUTH", "nobody", "wrong")).startsWith("-WRONGPASS");
      assertThat(client.ask("AUTH", "off", "off")).startsWith("-WRONGPASS");
      assertThat(client.ask("AUTH", "reader")).startsWith("-ERR AUTH <password> called");
      assertThat(client.ask("AUTH", "reader", "reader")).isEqualTo("+OK\r\n");
      assertThat(client.ask("ACL", "WHOAMI")).startsWith("-NOPERM");
      assertThat(client.ask("HELLO", "3", "AUTH", "reader", "x")).startsWith("-WRONGPASS");
      client.call("HELLO", "3", "AUTH", "app", "app");
      assertThat(client.ask("ACL", "WHOAMI")).contains("app");
      assertThat(client.ask("SET", "x", "1")).startsWith("-NOPERM");
      assertThat(client.ask("SET", "app:x", "1")).isEqualTo("+OK\r\n");
      assertThat(client.ask("RESET")).isEqualTo("+RESET\r\n");
      assertThat(client.ask("ACL", "WHOAMI")).contains("default");
    }
  }

  @Test
  void whatNeedsNoLoginIsTheDefaultUsers() {
    try (Both admin = servers.connect("admin")) {
      admin.ask("ACL", "SETUSER", "default", "-@all", "+ping");
      try (Both client = servers.connect()) {
        assertThat(client.ask("PING")).isEqualTo("+PONG\r\n");
        assertThat(client.ask("GET", "x")).startsWith("-NOPERM");
        admin.ask("ACL", "SETUSER", "default", "resetpass", ">secret");
        assertThat(client.ask("PING")).isEqualTo("+PONG\r\n");
        assertThat(client.ask("RESET")).isEqualTo("+RESET\r\n");
        assertThat(client.ask("PING")).startsWith("-NOAUTH");
        assertThat(client.ask("HELLO")).startsWith("-NOAUTH");
        assertThat(client.ask("AUTH", "secret")).isEqualTo("+OK\r\n");
        assertThat(client.ask("PING")).isEqualTo("+PONG\r\n");
      }
      try (Both client = servers.connect()) {
        assertThat(client.ask("PING")).startsWith("-NOAUTH");
        admin.ask("ACL", "SETUSER", "default", "nopass", "off");
        assertThat(client.ask("PING")).startsWith("-NOAUTH");
        admin.ask("ACL", "SETUSER", "default", "on");
        assertThat(client.ask("PING")).isEqualTo("+PONG\r\n");
      }
    }
  }

  @Test
  void administrationIsAnsweredAsByAServer() {
    try (Both admin = servers.connect("admin")) {
      admin.ask("ACL", "USERS");
      boolean shown = !ServerBinary.find().valkey(); // Valkey words these otherwise
      for (String user : new String[] {"admin", "reader", "app", "off", "nobody"}) {
        if (shown) {
          admin.ask("ACL", "GETUSER", user);
        }
      }
      for (String command : new String[] {"HELP", "LOAD", "SAVE"}) {
        if (shown) {
          admin.ask("ACL", command);
        }
      }
      assertThat(admin.ask("ACL", "SETUSER", "new")).isEqualTo("+OK\r\n");
      assertThat(admin.ask("ACL", "SETUSER", "new", "+nothing")).startsWith("-ERR Error in ACL");
      assertThat(admin.ask("ACL", "SETUSER", "a b", "on")).startsWith("-ERR Usernames");
      assertThat(admin.ask("ACL", "DELUSER", "new", "none")).isEqualTo(":1\r\n");
      assertThat(admin.ask("ACL", "DELUSER", "default")).startsWith("-ERR The 'default'");
      assertThat(admin.ask("ACL", "DRYRUN", "app", "GET", "app:1")).isEqualTo("+OK\r\n");
      assertThat(admin.ask("ACL", "DRYRUN", "app", "GET", "1")).contains("no permissions");
      assertThat(admin.ask("ACL", "DRYRUN", "app", "FLUSHALL")).contains("flushall");
      assertThat(admin.ask("ACL", "DRYRUN", "app", "PUBLISH", "x", "y")).contains("channel");
      admin.ask("ACL", "DRYRUN", "app", "nothing");
      admin.ask("ACL", "DRYRUN", "nobody", "get", "x");
      admin.ask("ACL", "DRYRUN", "app", "get");
      admin.ask("ACL", "CAT");
      admin.ask("ACL", "CAT", "nothing");
      admin.ask("ACL", "CAT", "read", "x");
      admin.ask("ACL", "GENPASS", "0");
      admin.ask("ACL", "GENPASS", "4097");
      admin.ask("ACL", "GENPASS", "x");
      assertThat(admin.call("ACL", "GENPASS", "5").proxy()).startsWith("$2\r\n");
      assertThat(admin.call("ACL", "GENPASS").proxy()).startsWith("$64\r\n");
      admin.ask("ACL", "LOG", "x");
      admin.ask("ACL", "LOG", "1", "2");
      admin.ask("ACL", "NOTHING");
    }
    try (Both app = servers.connect("app")) {
      for (String command : new String[] {"LIST", "USERS", "LOAD", "SAVE", "LOG"}) {
        assertThat(app.ask("ACL", command)).startsWith("-NOPERM");
      }
      assertThat(app.ask("ACL", "GETUSER", "app")).startsWith("-NOPERM");
      assertThat(app.ask("ACL", "CAT")).startsWith("*");
    }
  }

  @Test
  void listsOfCommandsHaveTheSameElements() {
    try (Both admin = servers.connect("admin")) {
      for (String category : new String[] {"admin", "scripting", "pubsub", "dangerous"}) {
        Both.Replies replies = admin.call("ACL", "CAT", category);
        assertThat(replies.proxy().lines().sorted().toList())
            .isEqualTo(replies.server().lines().sorted().toList());
      }
    }
  }

  @Test
  void aUserLosesARightAtOnce() {
    try (Both admin = servers.connect("admin");
        Both app = servers.connect("app")) {
      assertThat(app.ask("SET", "app:1", "x")).isEqualTo("+OK\r\n");
      for (int i = 0; i < 20; i++) {
        admin.ask("ACL", "SETUSER", "app", "-set");
        assertThat(app.ask("SET", "app:1", "x")).startsWith("-NOPERM");
        admin.ask("ACL", "SETUSER", "app", "+set");
        assertThat(app.ask("SET", "app:1", "x")).isEqualTo("+OK\r\n");
      }
      admin.ask("ACL", "SETUSER", "app", "off");
      assertThat(app.ask("SET", "app:1", "x")).isEqualTo("+OK\r\n");
    }
  }

  @Test
  void ownRightsChangeWithinAPipeline() {
    try (Both admin = servers.connect("admin")) {
      admin.send("ACL", "SETUSER", "admin", "-get");
      admin.send("GET", "x");
      admin.send("ACL", "SETUSER", "admin", "+get");
      admin.send("GET", "x");
      assertThat(admin.reply()).isEqualTo("+OK\r\n");
      assertThat(admin.reply()).startsWith("-NOPERM");
      assertThat(admin.reply()).isEqualTo("+OK\r\n");
      assertThat(admin.reply()).isEqualTo("$-1\r\n");
    }
  }

  @Test
  void clientsOfADeletedUserAreClosed() {
    try (Both admin = servers.connect("admin");
        Both app = servers.connect("app");
        Both reader = servers.connect("reader")) {
      assertThat(admin.ask("ACL", "DELUSER", "app")).isEqualTo(":1\r\n");
      assertThat(app.proxy().isClosedByPeer()).isTrue();
      assertThat(reader.ask("GET", "x")).isEqualTo("$-1\r\n");
    }
  }

  @Test
  void aClientThatDeletesItsUserGetsTheReply() {
    try (Both admin = servers.connect("admin")) {
      admin.ask("ACL", "SETUSER", "second", "on", ">second", "+@all", "~*", "&*");
    }
    try (Both second = servers.connect("second")) {
      second.send("ACL", "DELUSER", "second");
      second.send("PING");
      assertThat(second.reply()).isEqualTo(":1\r\n");
      assertThat(second.proxy().isClosedByPeer()).isTrue();
      assertThat(second.server().isClosedByPeer()).isTrue();
    }
  }

  @Test
  void queuedCommandsAreCheckedAgainAtExec() {
    try (Both admin = servers.connect("admin");
        Both app = servers.connect("app")) {
      app.ask("MULTI");
      app.ask("SET", "app:1", "x");
      app.ask("PING");
      app.ask("GET", "app:1");
      app.ask("ECHO", "y");
      admin.ask("ACL", "SETUSER", "app", "-get", "-echo");
      assertThat(app.ask("EXEC")).startsWith("*4\r\n+OK\r\n+PONG\r\n-NOPERM ACLs rules changed");
      app.ask("MULTI");
      assertThat(app.ask("GET", "app:1")).startsWith("-NOPERM");
      assertThat(app.ask("EXEC")).startsWith("-EXECABORT");
      app.ask("MULTI");
      app.ask("SET", "app:1", "2");
      admin.ask("ACL", "SETUSER", "app", "resetkeys", "~other:*");
      assertThat(app.ask("EXEC")).contains("no permission to touch the specified keys");
      app.ask("MULTI");
      app.ask("PUBLISH", "news.1", "2");
      admin.ask("ACL", "SETUSER", "app", "resetchannels");
      assertThat(app.ask("EXEC")).contains("no permission to access one of the channels");
      app.ask("MULTI");
      app.ask("PING");
      admin.ask("ACL", "SETUSER", "app", "-exec");
      assertThat(app.ask("EXEC")).startsWith("-EXECABORT");
    }
  }

  @Test
  void aBlockedClientLosesTheRight() {
    try (Both admin = servers.connect("admin");
        RespClient app = servers.proxy().connect()) {
      app.call("AUTH", "app", "app");
      app.send("BLPOP", "app:list", "30");
      Awaitility.await().until(() -> admin.proxy().call("CLIENT", "LIST").contains("flags=b"));
      admin.proxy().call("ACL", "SETUSER", "app", "-blpop");
      assertThat(app.read()).startsWith("-NOPERM").contains("blpop");
      assertThat(admin.proxy().call("RPUSH", "app:list", "1")).isEqualTo(":1\r\n");
      assertThat(admin.proxy().call("LLEN", "app:list")).isEqualTo(":1\r\n");
      assertThat(app.call("PING")).isEqualTo("+PONG\r\n");
    }
  }

  @Test
  void aBlockedClientKeepsItsOtherRights() {
    try (Both admin = servers.connect("admin");
        RespClient app = servers.proxy().connect()) {
      app.call("AUTH", "app", "app");
      app.send("BLPOP", "app:list", "30");
      Awaitility.await().until(() -> admin.proxy().call("CLIENT", "LIST").contains("flags=b"));
      admin.proxy().call("ACL", "SETUSER", "app", "-get");
      admin.proxy().call("RPUSH", "app:list", "1");
      assertThat(app.read()).isEqualTo("*2\r\n$8\r\napp:list\r\n$1\r\n1\r\n");
    }
  }

  @Test
  void aSubscriberThatLosesItsChannelIsClosed() {
    try (Both admin = servers.connect("admin");
        Both kept = servers.connect("app");
        Both lost = servers.connect("app");
        Both pattern = servers.connect("app")) {
      assertThat(kept.ask("SUBSCRIBE", "other")).startsWith("-NOPERM");
      assertThat(kept.ask("PSUBSCRIBE", "news*")).startsWith("-NOPERM");
      kept.ask("SUBSCRIBE", "news.1");
      lost.ask("SUBSCRIBE", "news.2");
      pattern.ask("PSUBSCRIBE", "news.*");
      admin.ask("ACL", "SETUSER", "app", "resetchannels", "&news.1");
      assertThat(lost.proxy().isClosedByPeer()).isTrue();
      assertThat(lost.server().isClosedByPeer()).isTrue();
      assertThat(pattern.proxy().isClosedByPeer()).isTrue();
      assertThat(pattern.server().isClosedByPeer()).isTrue();
      assertThat(admin.ask("PUBLISH", "news.1", "x")).isEqualTo(":1\r\n");
      assertThat(kept.reply()).contains("message");
    }
  }

  @Test
  void aLimitedUserCannotReachPastItsKeysByAScript() {
    try (Both admin = servers.connect("admin");
        RespClient app = servers.proxy().connect()) {
      admin.proxy().call("SET", "secret", "x");
      admin.proxy().call("ACL", "SETUSER", "app", "+sort");
      app.call("AUTH", "app", "app");
      String script = "return redis.call('get', 'secret')";
      assertThat(app.call("EVAL", script, "0")).startsWith("-NOPERM");
      assertThat(app.call("EVAL", script, "1", "app:1")).startsWith("-NOPERM");
      admin.proxy().call("SCRIPT", "LOAD", script);
      assertThat(app.call("EVALSHA", "0".repeat(40), "0")).startsWith("-NOPERM");
      assertThat(app.call("FCALL", "f", "0")).startsWith("-NOPERM");
      app.call("MULTI");
      assertThat(app.call("EVAL", script, "0")).startsWith("-NOPERM");
      assertThat(app.call("EXEC")).startsWith("-EXECABORT");
      assertThat(app.call("SORT", "app:1", "BY", "secret*")).contains("insufficient ACL");
      assertThat(app.call("SORT", "app:1", "GET", "secret*")).contains("insufficient ACL");
      assertThat(app.call("SORT", "app:1", "STORE", "secret")).startsWith("-NOPERM");
      admin.proxy().call("ACL", "SETUSER", "app", "allkeys");
      assertThat(app.call("EVAL", script, "0")).isEqualTo("$1\r\nx\r\n");
    }
  }

  @Test
  void denialsAreInTheLog() {
    try (Both admin = servers.connect("admin");
        Both app = servers.connect("app")) {
      app.ask("GET", "other");
      app.ask("GET", "other");
      app.ask("FLUSHALL");
      app.ask("PUBLISH", "other", "x");
      app.ask("MULTI");
      app.ask("CONFIG", "GET", "x");
      app.ask("DISCARD");
      app.ask("AUTH", "admin", "wrong");
      Both.Replies log = admin.call("ACL", "LOG");
      assertThat(withoutTimes(log.proxy())).isEqualTo(withoutTimes(log.server()));
      Both.Replies one = admin.call("ACL", "LOG", "1");
      assertThat(withoutTimes(one.proxy())).isEqualTo(withoutTimes(one.server()));
      assertThat(admin.ask("ACL", "LOG", "RESET")).isEqualTo("+OK\r\n");
      assertThat(admin.ask("ACL", "LOG")).isEqualTo("*0\r\n");
    }
  }

  /** Ages, clients and times differ. */
  private static String withoutTimes(String log) {
    return Pattern.compile("(age-seconds|client-info)\r\n\\$\\d+\r\n[^\r]*")
        .matcher(log)
        .replaceAll("$1")
        .replaceAll("(entry-id|timestamp-[a-z-]*)\r\n:\\d+", "$1");
  }

  @Test
  void clientsAreListedAndClosedByUser() {
    try (Both admin = servers.connect("admin");
        Both app = servers.connect("app")) {
      assertThat(admin.proxy().call("CLIENT", "LIST")).contains("user=app ");
      assertThat(admin.ask("CLIENT", "KILL", "USER", "nobody")).startsWith("-ERR No such user");
      assertThat(admin.ask("CLIENT", "KILL", "USER", "app")).isEqualTo(":1\r\n");
      assertThat(app.proxy().isClosedByPeer()).isTrue();
    }
  }

  @Test
  void usersAreSavedToAFileAndLoadedFromIt(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("users.acl");
    var settings = AclServers.settings(false, file, USERS);
    try (var proxy = ProxyFixture.of(servers.node()).users(settings).startReady();
        RespClient admin = proxy.connect();
        RespClient app = proxy.connect()) {
      admin.call("AUTH", "admin", "admin");
      app.call("AUTH", "app", "app");
      assertThat(admin.call("ACL", "LOAD")).startsWith("-ERR Error loading ACLs, opening file");
      assertThat(admin.call("ACL", "SAVE")).isEqualTo("+OK\r\n");
      assertThat(Files.readString(file)).contains("user app on ").doesNotContain(">app");
      admin.call("ACL", "SETUSER", "app", "-get");
      assertThat(app.call("GET", "app:1")).startsWith("-NOPERM");
      assertThat(admin.call("ACL", "LOAD")).isEqualTo("+OK\r\n");
      assertThat(app.call("GET", "app:1")).isEqualTo("$-1\r\n");
      Files.writeString(file, "user admin on >admin ~* &* +@all\nuser x +nothing\n");
      assertThat(admin.call("ACL", "LOAD")).contains(":2:");
      assertThat(app.call("GET", "app:1")).isEqualTo("$-1\r\n");
      Files.writeString(file, "user admin on >admin ~* &* +@all\n");
      assertThat(admin.call("ACL", "LOAD")).isEqualTo("+OK\r\n");
      assertThat(app.isClosedByPeer()).isTrue();
      assertThat(admin.call("ACL", "USERS")).contains("default").doesNotContain("reader");
    }
  }

  @Test
  void aPasswordAloneMaySelectTheUser() {
    String[] users = {
      "default off", "one on >first ~* +@all", "two on >second >both", "x on >both"
    };
    try (var proxy =
            ProxyFixture.of(servers.node())
                .users(AclServers.settings(true, null, users))
                .startReady();
        RespClient client = proxy.connect()) {
      assertThat(client.call("PING")).startsWith("-NOAUTH");
      assertThat(client.call("AUTH", "both")).startsWith("-WRONGPASS");
      assertThat(client.call("AUTH", "first")).isEqualTo("+OK\r\n");
      assertThat(client.call("ACL", "WHOAMI")).isEqualTo("$3\r\none\r\n");
      assertThat(client.call("AUTH", "second")).isEqualTo("+OK\r\n");
      assertThat(client.call("PING")).startsWith("-NOPERM");
    }
  }
}
