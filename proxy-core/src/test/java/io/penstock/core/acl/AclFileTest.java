package io.penstock.core.acl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.core.acl.AclFile.AclFileException;
import io.penstock.core.command.CommandTable;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class AclFileTest {

  private static final String HASH =
      "2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90"; // of "alice"

  private final CommandTable table = CommandTable.load();

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @Test
  void whatIsWrittenIsReadAgain() throws AclFileException {
    String text =
        "user default on nopass sanitize-payload ~* &* +@all\n"
            + "user app on sanitize-payload #"
            + HASH
            + " ~app:* %R~shared:* resetchannels &news:* -@all +@read +select|0"
            + " (%W~log:* resetchannels -@all +lpush)\n"
            + "user off off skip-sanitize-payload resetchannels -@all\n";

    List<AclUser> users = AclFile.read(text, "users.acl", table);

    assertThat(AclFile.write(users)).isEqualTo(text);
    assertThat(users).extracting(AclUser::name).containsExactly("default", "app", "off");
    assertThat(users.get(0)).isEqualTo(AclUser.unrestricted("default"));
    assertThat(users.get(2).enabled()).isFalse();
  }

  @Test
  void passwordsAreComparedByTheirHashes() throws AclFileException {
    String text =
        "user one on #" + HASH + "\nuser two on >bob <bob >alice >p\u00e4ss\nuser three >alice\n";

    List<AclUser> users = AclFile.read(text, "users.acl", table);

    assertThat(users.get(0).accepts(bytes("alice"))).isTrue();
    assertThat(users.get(0).accepts(bytes("bob"))).isFalse();
    assertThat(users.get(1).passwords()).contains(HASH).hasSize(2);
    assertThat(users.get(1).accepts(bytes("p\u00e4ss"))).isTrue();
    assertThat(users.get(1).accepts(bytes("bob"))).isFalse();
    assertThat(users.get(2).accepts(bytes("alice"))).as("it is off").isFalse();
    assertThat(AclUser.unrestricted("any").accepts(bytes("anything"))).isTrue();
  }

  @Test
  void allErrorsAreToldWithTheirLinesAndWithoutPasswords() {
    String text =
        """
        user a +nosuch >secret nonsense ~*

        \tuser b on #secret
        usr c
        user a on
        user d (+get ~x
        """;

    assertThatThrownBy(() -> AclFile.read(text, "/etc/users.acl", table))
        .isInstanceOf(AclFileException.class)
        .hasMessage(
            "/etc/users.acl:1: Error in applying operation '+nosuch': Unknown command or category"
                + " name in ACL. /etc/users.acl:1: Syntax error. /etc/users.acl:3: The password"
                + " hash must be exactly 64 characters and contain only lowercase hexadecimal"
                + " characters. /etc/users.acl:4 should start with user keyword followed by the"
                + " username. WARNING: Duplicate user 'a' found on line 5. /etc/users.acl:6:"
                + " Unmatched parenthesis in selector definition.WARNING: ACL errors detected, no"
                + " change to the previously active ACL rules was performed");
  }

  @Test
  void passwordsAreNotPartOfTheTextOfAUser() throws AclFileException {
    assertThat(AclFile.read("user a >x #" + HASH, "f", table).getFirst().toString())
        .isEqualTo("AclUser[a]");
  }
}
