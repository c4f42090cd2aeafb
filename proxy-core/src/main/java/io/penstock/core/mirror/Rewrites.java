package io.penstock.core.mirror;

import io.penstock.core.spec.Mirrored;
import java.util.function.BooleanSupplier;

/** Which rewrite belongs to which line of the table. */
final class Rewrites {

  private Rewrites() {}

  static Rewrite of(Mirrored mirrored, BooleanSupplier fieldsMayExpire) {
    return switch (mirrored) {
      case NOTHING,
          DATABASE,
          REFUSED,
          AS_IS,
          AS_IS_IF_POSITIVE,
          AS_IS_UNLESS_NULL,
          AS_IS_IF_STORED ->
          throw new IllegalArgumentException(mirrored + " is not rewritten");
      case SET -> SetRewrite.INSTANCE;
      case SET_FOR, SET_ALL_FOR, SET_RESULT, DELETE, DEADLINE, RESTORE -> KeyRewrite.of(mirrored);
      case SET_FIELD_RESULT ->
          fieldsMayExpire.getAsBoolean() ? FieldRewrite.KEEP_RESULT : FieldRewrite.RESULT;
      case FIELD_DEADLINE -> FieldRewrite.DEADLINE;
      case READ_FIELD_DEADLINE -> FieldRewrite.READ_DEADLINE;
      case SET_FIELDS_FOR -> FieldRewrite.SET_FOR;
      case REMOVE_MEMBERS,
          POP_FIRST,
          POP_LAST,
          POP_ELEMENTS,
          REMOVE_SCORED,
          REMOVE_ALL_SCORED,
          MOVE_ELEMENT,
          MOVE_LAST_ELEMENT ->
          PopRewrite.of(mirrored);
      case ADD_ENTRY -> StreamRewrite.ADD;
      case TRIM_ENTRIES -> StreamRewrite.TRIM;
      case CLAIM -> GroupRewrite.CLAIM;
      case CLAIM_IDLE -> GroupRewrite.CLAIM_IDLE;
      case READ_GROUP -> GroupRewrite.READ;
      case SCRIPT -> ScriptRewrite.INSTANCE;
    };
  }
}
