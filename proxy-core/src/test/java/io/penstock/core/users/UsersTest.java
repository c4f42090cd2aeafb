package io.penstock.core.users;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.core.acl.AclRuleException;
import io.penstock.core.acl.AclUser;
import io.penstock.core.command.CommandTable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class UsersTest {

  private static final CommandTable TABLE = CommandTable.load();

  private final Users users = new Users(settings());
  private final AtomicInteger changes = new AtomicInteger();

  private static UsersSettings settings(AclUser... users) {
    return settings(false, users);
  }

  private static UsersSettings settings(boolean passwordSelectsUser, AclUser... users) {
    return new UsersSettings("test", List.of(users), null, Map.of(), passwordSelectsUser);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private void set(String name, String... rules) throws AclRuleException {
    users.set(name, Arrays.asList(rules), TABLE);
  }

  private KnownUser user(String name) {
    return Objects.requireNonNull(users.now().find(name));
  }

  @Test
  void thereIsAlwaysADefaultUser() {
    assertThat(users.now().defaultUser().requiresLogin()).isFalse();
    assertThat(users.now().defaultUser().permissions(TABLE).permitsEverything()).isTrue();
    assertThat(users.delete(List.of("default"))).isZero();
    users.replace(List.of());
    assertThat(users.now().find("default")).isNotNull();
  }

  @Test
  void aChangedUserStaysTheSameUser() throws AclRuleException {
    set("a", "on", "+get");
    KnownUser before = user("a");
    set("a", "+set");
    assertThat(user("a")).isNotSameAs(before);
    assertThat(user("a").isSameAs(before)).isTrue();
    assertThat(user("a").usage()).isSameAs(before.usage());
  }

  @Test
  void aUserThatIsCreatedAgainIsAnother() throws AclRuleException {
    set("a", "on");
    KnownUser before = user("a");
    assertThat(users.delete(List.of("a", "b"))).isEqualTo(1);
    set("a", "on");
    assertThat(user("a").isSameAs(before)).isFalse();
  }

  @Test
  void othersDoNotChangeWithAUser() throws AclRuleException {
    set("a", "on");
    set("b", "on");
    KnownUser a = user("a");
    set("b", "+get");
    users.delete(List.of("b"));
    assertThat(user("a")).isSameAs(a);
  }

  @Test
  void aWrongRuleChangesNothing() throws AclRuleException {
    set("a", "on", "+get");
    UserList before = users.now();
    assertThatThrownBy(() -> set("a", "+set", "+nothing")).isInstanceOf(AclRuleException.class);
    assertThatThrownBy(() -> set("b", "+nothing")).isInstanceOf(AclRuleException.class);
    assertThat(users.now()).isSameAs(before);
  }

  @Test
  void watchersAreToldOfEachChange() throws AclRuleException {
    Runnable watcher = changes::incrementAndGet;
    users.watch(watcher);
    set("a", "on");
    users.delete(List.of("a"));
    users.delete(List.of("a"));
    users.replace(List.of());
    assertThat(changes).hasValue(3);
    users.unwatch(watcher);
    set("a", "on");
    assertThat(changes).hasValue(3);
  }

  @Test
  void passwordsAreThoseOfEnabledUsers() throws AclRuleException {
    set("a", "on", ">one", ">two");
    assertThat(users.authenticate("a", bytes("one"))).isSameAs(user("a"));
    assertThat(users.authenticate("a", bytes("two"))).isSameAs(user("a"));
    assertThat(users.authenticate("a", bytes("three"))).isNull();
    assertThat(users.authenticate("b", bytes("one"))).isNull();
    assertThat(users.authenticate("", bytes(""))).isNull();
    assertThat(users.authenticate(null, bytes("any"))).isSameAs(user("default"));
    set("a", "<one");
    assertThat(users.authenticate("a", bytes("one"))).isNull();
    set("a", "off");
    assertThat(users.authenticate("a", bytes("two"))).isNull();
    set("a", "on", "nopass");
    assertThat(users.authenticate("a", bytes("any"))).isSameAs(user("a"));
  }

  @Test
  void aPasswordSelectsTheOnlyUserThatHasIt() throws AclRuleException {
    users.adopt(settings(true));
    set("a", "on", ">one", ">both");
    set("b", "on", ">both", ">two");
    set("c", "off", ">three", ">two");
    assertThat(users.authenticate(null, bytes("one"))).isSameAs(user("a"));
    assertThat(users.authenticate(null, bytes("two"))).isSameAs(user("b"));
    assertThat(users.authenticate(null, bytes("both"))).isNull();
    assertThat(users.authenticate(null, bytes("three"))).isNull();
    assertThat(users.authenticate(null, bytes("other"))).isNull();
  }

  @Test
  void changedSettingsReplaceWhatCommandsChanged() throws AclRuleException {
    set("a", "on");
    users.adopt(settings());
    assertThat(users.now().find("a")).isNotNull();
    KnownUser before = users.now().defaultUser();
    users.adopt(settings(AclUser.created("b")));
    assertThat(users.now().find("a")).isNull();
    assertThat(users.now().find("b")).isNotNull();
    assertThat(users.now().defaultUser()).isSameAs(before);
  }

  @Test
  void permissionsAreCompiledOnceForEachTable() throws AclRuleException {
    set("a", "on", "+get", "~*");
    assertThat(user("a").permissions(TABLE)).isSameAs(user("a").permissions(TABLE));
  }

  @Test
  void aScopeEndsWithItsLastListener() throws AclRuleException {
    var all = new AllUsers();
    Users first = all.join(settings());
    assertThat(all.join(settings())).isSameAs(first);
    all.leave(settings());
    assertThat(all.join(settings())).isSameAs(first);
    all.leave(settings());
    all.leave(settings());
    assertThat(all.join(settings())).isNotSameAs(first);
  }
}
