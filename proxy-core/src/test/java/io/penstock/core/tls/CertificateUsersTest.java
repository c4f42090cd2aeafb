package io.penstock.core.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.penstock.core.tls.CertificateUsers.Field;
import io.penstock.core.tls.CertificateUsers.Rule;
import io.penstock.testkit.tls.TestAuthority;
import java.net.URISyntaxException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CertificateUsersTest {

  private static final TestAuthority AUTHORITY = TestAuthority.create("authority");
  private static final X509Bundle ORDERS =
      AUTHORITY.issue("orders-1", CertificateUsersTest::withAlternativeNames);

  private static CertificateBuilder withAlternativeNames(CertificateBuilder builder) {
    try {
      return builder
          .addSanDnsName("a.example")
          .addSanDnsName("b.orders.example")
          .addSanUriName("spiffe://example.org/ns/orders/sa/web");
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static @Nullable String user(X509Bundle identity, Rule... rules) {
    return new CertificateUsers(List.of(rules)).user(identity.getCertificate());
  }

  @Test
  void aCommonNameIsAUser() {
    assertThat(user(ORDERS, new Rule(Field.CN, "*", null))).isEqualTo("orders-1");
    assertThat(user(ORDERS, new Rule(Field.CN, "orders-1", null))).isEqualTo("orders-1");
    assertThat(user(ORDERS, new Rule(Field.CN, "orders-*", "orders"))).isEqualTo("orders");
    assertThat(user(ORDERS, new Rule(Field.CN, "*ers-*1*", "orders"))).isEqualTo("orders");
    assertThat(user(ORDERS, new Rule(Field.CN, "orders", null))).isNull();
    assertThat(user(ORDERS, new Rule(Field.CN, "orders.1", null))).isNull();
  }

  @Test
  void anyAlternativeNameMayMatch() {
    assertThat(user(ORDERS, new Rule(Field.DNS, "*.orders.example", "o"))).isEqualTo("o");
    assertThat(user(ORDERS, new Rule(Field.DNS, "*.orders.example", null)))
        .isEqualTo("b.orders.example");
    assertThat(user(ORDERS, new Rule(Field.URI, "spiffe://example.org/ns/orders/*", "o")))
        .isEqualTo("o");
    assertThat(user(ORDERS, new Rule(Field.URI, "spiffe://example.org/ns/other/*", "o"))).isNull();
    assertThat(user(ORDERS, new Rule(Field.DNS, "spiffe://*", "o"))).isNull();
  }

  @Test
  void theFirstRuleThatMatchesDecides() {
    assertThat(
            user(
                ORDERS,
                new Rule(Field.CN, "none", "first"),
                new Rule(Field.DNS, "a.example", "second"),
                new Rule(Field.CN, "*", "third")))
        .isEqualTo("second");
  }

  @Test
  void aCertificateWithoutAlternativeNamesHasNone() {
    X509Bundle plain = AUTHORITY.issue("plain", builder -> builder);

    assertThat(user(plain, new Rule(Field.DNS, "*", "o"))).isNull();
    assertThat(user(plain, new Rule(Field.URI, "*", "o"))).isNull();
    assertThat(user(plain)).isNull();
  }

  @Test
  void namesThatClientsWouldNotShowAreNone() {
    X509Bundle spaced = AUTHORITY.issue("two words", builder -> builder);

    assertThat(user(spaced, new Rule(Field.CN, "*", null))).isNull();
  }

  @Test
  void aRuleTellsWhichUsersThereMayBe() {
    var users =
        new CertificateUsers(
            List.of(new Rule(Field.DNS, "*", "orders"), new Rule(Field.CN, "web-*", null)));

    assertThat(List.of("orders", "web-1")).allMatch(users::mayName);
    assertThat(List.of("order", "x", "")).noneMatch(users::mayName);
  }
}
