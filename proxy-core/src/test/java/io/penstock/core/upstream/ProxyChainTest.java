package io.penstock.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProxyChainTest {

  private static final Endpoint NODE = new Endpoint("h", 1);

  private final ProxyChain chain = ProxyChain.create();

  private static String id(ProxyChain chain) {
    return String.valueOf(ProxyChain.idIn(chain.connectionName("")));
  }

  @Test
  void theNameOfAConnectionHasTheId() {
    assertThat(chain.connectionName("")).matches("penstock:[0-9a-f]{16}");
    assertThat(chain.connectionName("-topology")).isEqualTo("penstock-topology:" + id(chain));
    assertThat(id(ProxyChain.create())).isNotEqualTo(id(chain));
    assertThat(ProxyChain.withoutId().connectionName("-topology")).isEqualTo("penstock-topology");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "penstock",
        "penstock-topology",
        "other:0123456789abcdef",
        "penstock0123456789abcdef",
        "penstock:0123456789abcdeg",
        "penstock:0123456789ABCDEF",
        "penstock:0123456789abcde"
      })
  void otherNamesHaveNoId(String name) {
    assertThat(ProxyChain.idIn(name)).isNull();
  }

  @Test
  void aChainLeadsToItselfAndToWhatItsNodesHaveAnswered() {
    ProxyChain server = ProxyChain.create();
    ProxyChain middle = ProxyChain.create();
    middle.learn(NODE, server.answer());
    assertThat(chain.leadsTo(id(chain))).isTrue();
    assertThat(chain.leadsTo(null)).isFalse();
    assertThat(chain.leadsTo(id(server))).isFalse();

    chain.learn(NODE, middle.answer());

    assertThat(chain.leadsTo(id(middle))).isTrue();
    assertThat(chain.leadsTo(id(server))).isTrue();
    assertThat(chain.answer())
        .isEqualTo("OK penstock " + id(chain) + " " + id(middle) + " " + id(server));
    assertThat(chain.successor().leadsTo(id(chain))).isTrue();
    assertThat(chain.successor().leadsTo(id(server))).isFalse();
  }

  @Test
  void aServerInPlaceOfAPenstockIsNoted() {
    ProxyChain other = ProxyChain.create();
    chain.learn(NODE, other.answer());
    assertThat(chain.isPenstock(NODE)).isTrue();

    chain.learn(NODE, "OK");

    assertThat(chain.isPenstock(NODE)).isFalse();
    assertThat(chain.leadsTo(id(other))).isFalse();
  }

  @Test
  void anAnswerIsBelievedUpToALimit() {
    String many =
        IntStream.range(0, 1_000)
            .mapToObj("%016x"::formatted)
            .collect(Collectors.joining(" ", "OK penstock x ", ""));
    chain.learn(NODE, many);

    assertThat(chain.answer().split(" ")).hasSize(2 + 64);
    assertThat(chain.leadsTo("%016x".formatted(999))).isFalse();
    assertThat(chain.leadsTo("x")).isFalse();
  }

  @Test
  void theAnswersOfManyNodesAreBounded() {
    ProxyChain last = ProxyChain.create();
    for (int port = 1; port <= 1_024; port++) {
      chain.learn(new Endpoint("h", port), ProxyChain.create().answer());
    }
    chain.learn(new Endpoint("h", 2_000), last.answer());

    assertThat(chain.leadsTo(id(last))).isFalse();
  }
}
