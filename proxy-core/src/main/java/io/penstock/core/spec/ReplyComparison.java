package io.penstock.core.spec;

/** How replies of two servers with the same data to one request are compared. */
public enum ReplyComparison {
  /** They are not: they may differ, or the command does more than read keys. */
  NONE,
  /** They have the same bytes. */
  EXACT,
  /** Their elements are the same, in any order. */
  ANY_ORDER,
  /** The same for elements of which two in a row belong together, as field and value. */
  PAIRS_IN_ANY_ORDER;

  private static final String NONDETERMINISTIC = "nondeterministic_output";
  private static final String ANY_ORDER_TIP = "nondeterministic_output_order";

  /** Returns whether the order of elements makes no difference. */
  public boolean ignoresOrder() {
    return this == ANY_ORDER || this == PAIRS_IN_ANY_ORDER;
  }

  /**
   * Returns how replies of a command are compared.
   *
   * @param readsKeys whether it only reads its keys, and any node with the same data answers alike
   */
  static ReplyComparison of(
      CommandFacts facts, Handling handling, CommandTraits traits, boolean readsKeys) {
    boolean plain = handling instanceof Handling.Forward || handling instanceof Handling.Split;
    if (!readsKeys
        || !plain
        || traits.has(Trait.REPLY_VARIES)
        || facts.acl().contains(AclCategory.SCRIPTING)
        || facts.tips().contains(NONDETERMINISTIC)) {
      return NONE;
    }
    if (traits.has(Trait.REPLY_OF_PAIRS)) {
      return PAIRS_IN_ANY_ORDER;
    }
    return traits.has(Trait.REPLY_IN_ANY_ORDER) || facts.tips().contains(ANY_ORDER_TIP)
        ? ANY_ORDER
        : EXACT;
  }
}
