package io.penstock.server.secret;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;

@ExtendWith(OutputCaptureExtension.class)
class SecretKeysTest {

  private static final String WARNING = " has a secret and is an argument";

  private static void read(String argument) {
    StandardEnvironment environment = new StandardEnvironment();
    MutablePropertySources sources = environment.getPropertySources();
    sources.addFirst(new SimpleCommandLinePropertySource(argument));
    SecretKeys.warnOfArguments(environment);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--penstock.password=s3cret",
        "--penstock.listeners.main.password=s3cret",
        "--penstock.managementToken=s3cret",
        "--penstock.management-token=s3cret",
        "--spring.ssl.bundle.jks.a.keystore.password=s3cret",
        "--spring.ssl.bundle.pem.a.keystore.private-key-password=s3cret",
        "--spring.ssl.bundle.pem.a.keystore.privateKeyPassword=s3cret",
        "--spring.ssl.bundle.pem.a.keystore.private-key=-----BEGIN PRIVATE KEY-----\\ns3cret",
        "--spring.ssl.bundle.pem.a.keystore.private-key=base64:s3cret",
        "--server.ssl.key-store-password=s3cret",
        "--server.ssl.certificate-private-key=-----BEGIN RSA PRIVATE KEY-----\\ns3cret",
        "--spring.application.json={\"penstock\":{\"password\":\"s3cret\"}}",
        "--spring.application.json={\"penstock.management-token\":\"s3cret\"}",
        "--SPRING_APPLICATION_JSON={\"penstock\":{\"upstreams\":{\"a\":\"redis://s3cret@h:1\"}}}",
        "--spring.application.json={\"a\":{\"servers\":[\"redis://h:2\",{\"to\":\"redis://s3cret@h:1\"}]}}",
        "--penstock.transpond.local.resource=redis://s3cret@h:1",
        "--penstock.upstreams.a=redis-sentinel://h:1/m?sentinelPassword=s3cret",
        "--penstock.upstreams.a.shards.servers=redis://h:1,redis://:s3cret@h:2"
      })
  void aSecretAmongTheArgumentsIsAWarning(String argument, CapturedOutput output) {
    read(argument);

    assertThat(output)
        .contains(argument.substring(2, argument.indexOf('=')) + WARNING)
        .doesNotContain("s3cret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--penstock.password=${PASSWORD}",
        "--penstock.password-file=/run/secrets/password",
        "--penstock.transpond.local.resource=redis://h:1?db=1",
        "--penstock.transpond.local.resource=redis://@h:1",
        "--penstock.transpond.local.resource=redis://${USER}:${PASSWORD}@h:1",
        "--spring.ssl.bundle.pem.a.keystore.private-key=/run/secrets/key.pem",
        "--spring.ssl.bundle.pem.a.keystore.private-key=classpath:key.pem",
        "--spring.ssl.bundle.pem.a.keystore.certificate=-----BEGIN CERTIFICATE-----\\nMII",
        "--server.ssl.key-store-password=${PASSWORD}",
        "--spring.application.json={\"penstock\":{\"password\":\"${PASSWORD}\",\"port\":1}}",
        "--spring.application.json={\"penstock\":{\"password\":null,\"bind\":[]}}",
        "--spring.application.json={no json",
        "--penstock.port=1"
      })
  void otherArgumentsAreNone(String argument, CapturedOutput output) {
    read(argument);

    assertThat(output).doesNotContain(WARNING);
  }
}
