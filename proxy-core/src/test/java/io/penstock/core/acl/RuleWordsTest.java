package io.penstock.core.acl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class RuleWordsTest {

  @Test
  void selectorsAreSplitAsServersSplitLines() {
    assertThat(RuleWords.split("  +get\t~a ")).containsExactly("+get", "~a");
    assertThat(RuleWords.split("")).isEmpty();
    assertThat(RuleWords.split("\"~a b\" '~c\\'d'")).containsExactly("~a b", "~c'd");
    assertThat(RuleWords.split("\"~\\x41\\n\\\"\" ~\"x\"")).containsExactly("~A\n\"", "~x");
    assertThat(RuleWords.split("\"\"")).containsExactly("");
    assertThat(RuleWords.split("\"~a")).isNull();
    assertThat(RuleWords.split("\"~a\"b")).isNull();
  }

  @Test
  void selectorsMayBeSpreadOverSeveralRules() throws AclRuleException {
    assertThat(RuleWords.joinSelectors(List.of("on", "(+get", "~a", "~b)", "(~c)", ")")))
        .containsExactly("on", "(+get ~a ~b)", "(~c)", ")");
    assertThatThrownBy(() -> RuleWords.joinSelectors(List.of("on", "(+get", "~a")))
        .hasMessage("Unmatched parenthesis in acl selector starting at '(+get'.");
  }
}
