package io.penstock.core.command;

import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.AclCategory;
import io.penstock.core.spec.CommandFacts;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.FindKeys;
import io.penstock.core.spec.KeyPositions;
import io.penstock.core.spec.KeySpec;
import io.penstock.core.spec.RequestPolicy;
import io.penstock.core.spec.ResponsePolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything known about one command or subcommand. Immutable, one object per command of a {@link
 * CommandTable}, shared by all event loops; compared by identity.
 */
public final class CommandSpec {

  /** What {@link #findKeys} gives for arguments from which no server could tell the keys. */
  public static final int INVALID = -1;

  private final int id;
  private final CommandFacts facts;
  private final Handling handling;
  private final List<CommandSpec> subcommands;
  private final @Nullable NameTable subcommandNames;
  private final String displayName;
  private final int arity;
  private final boolean readOnly;
  private final boolean write;
  private final int firstKeyIndex;
  private final boolean script;
  private final boolean keysMayBeNone;
  private final KeySpec[] keySpecs;
  private final @Nullable KeyProcedure procedure;
  private final @Nullable PatternArguments patterns;

  CommandSpec(int id, CommandFacts facts, Handling handling, List<CommandSpec> subcommands) {
    this.id = id;
    this.facts = facts;
    this.handling = handling;
    this.subcommands = List.copyOf(subcommands);
    subcommandNames = subcommands.isEmpty() ? null : new NameTable(subcommands);
    displayName = displayName(facts.name());
    arity = facts.arity();
    readOnly = has(CommandFlag.READONLY);
    write = has(CommandFlag.WRITE);
    keysMayBeNone = has(CommandFlag.NO_MANDATORY_KEYS);
    procedure = KeyProcedure.of(facts.name());
    patterns = PatternArguments.of(facts.name());
    keySpecs = procedure == null ? located(facts) : facts.keySpecs().toArray(new KeySpec[0]);
    firstKeyIndex = firstKeyIndex(keySpecs, arity);
    script = facts.acl().contains(AclCategory.SCRIPTING);
  }

  /**
   * The specs to find keys by where there is nothing better: of a command that was learnt, some may
   * not say all. Whether the keys that they miss are of the same slot is the node's to see.
   */
  private static KeySpec[] located(CommandFacts facts) {
    List<KeySpec> located = new ArrayList<>();
    for (KeySpec spec : facts.keySpecs()) {
      if (spec.isLocatable()) {
        located.add(spec.withoutIncomplete());
      }
    }
    return located.toArray(new KeySpec[0]);
  }

  /** The shortest accepted request must have the argument. */
  private static int firstKeyIndex(KeySpec[] specs, int arity) {
    int index = specs.length == 1 ? specs[0].fixedKeyIndex() : 0;
    return index < Math.abs(arity) ? index : 0;
  }

  /** A command's name as people write it: {@code CONFIG GET}. */
  static String displayName(String name) {
    return name.toUpperCase(Locale.ROOT).replace('|', ' ');
  }

  /** Dense over all commands and subcommands of the table, from 0. */
  public int id() {
    return id;
  }

  /** Lower case; {@code config|get} for a subcommand. */
  public String name() {
    return facts.name();
  }

  /** Upper case; {@code CONFIG GET} for a subcommand. */
  public String displayName() {
    return displayName;
  }

  /** As Redis has it: negative means at least so many arguments, the name included. */
  public int arity() {
    return arity;
  }

  /**
   * Whether a request of {@code argc} arguments (the name included) has the right number of them.
   */
  public boolean acceptsArity(int argc) {
    return arity < 0 ? argc >= -arity : argc == arity;
  }

  public boolean has(CommandFlag flag) {
    return facts.flags().contains(flag);
  }

  /** Whether servers call it read-only: it may be sent again after a lost connection. */
  public boolean isReadOnly() {
    return readOnly;
  }

  /** Whether servers call it a write. Scripts are neither this nor {@link #isReadOnly()}. */
  public boolean isWrite() {
    return write;
  }

  /** Whether it runs a script or function, which may return any error it likes. */
  public boolean isScript() {
    return script;
  }

  public Handling handling() {
    return handling;
  }

  /** Whether a request's patterns are as short as they have to be, if it has any. */
  public boolean acceptsPatterns(RequestFrame frame) {
    return patterns == null || !patterns.isTooLong(frame);
  }

  /**
   * The argument index of the command's only key (or shard channel) when every call has exactly one
   * at the same place; else 0. A request with an accepted arity has that argument.
   */
  public int firstKeyIndex() {
    return firstKeyIndex;
  }

  public List<KeySpec> keySpecs() {
    return facts.keySpecs();
  }

  public Set<AclCategory> aclCategories() {
    return facts.acl();
  }

  /** The command tips as servers give them. */
  public List<String> tips() {
    return facts.tips();
  }

  public RequestPolicy requestPolicy() {
    return facts.requestPolicy();
  }

  public ResponsePolicy responsePolicy() {
    return facts.responsePolicy();
  }

  /** In the table's order; empty when this is no container. */
  public List<CommandSpec> subcommands() {
    return subcommands;
  }

  /** Whether it has subcommands. */
  public boolean isContainer() {
    return subcommandNames != null;
  }

  /** Whether some argument can be a key (shard channels are none). */
  public boolean hasKeys() {
    for (KeySpec spec : keySpecs) {
      if (spec.hasKeys()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Finds the keys (and shard channels) by which a cluster node routes the request, whose arity
   * must be accepted. Allocation-free.
   *
   * @param into cleared first; empty when the result is not positive
   * @return how many there are; {@link #INVALID} when the arguments are wrong (numkeys is no
   *     number, say), so that any node will answer the call with the same error
   */
  public int findKeys(RequestFrame frame, KeyPositions into) {
    into.clear();
    if (procedure != null) {
      procedure.collect(frame, into);
    } else if (!collectDeclared(frame, into, true)) {
      return INVALID;
    }
    return into.size() == 0 && keySpecs.length > 0 && !keysMayBeNone ? INVALID : into.size();
  }

  /**
   * As {@link #findKeys}, but as {@code COMMAND GETKEYS} does: by the key specs if they fit, and
   * shard channels never. No keys and wrong arguments are the same to it.
   */
  void findKeysForGetKeys(RequestFrame frame, KeyPositions into) {
    into.clear();
    if (!collectDeclared(frame, into, false) && procedure != null) {
      procedure.collect(frame, into);
    }
  }

  /**
   * By the key specs.
   *
   * @param toRoute as cluster nodes do, and not as {@code COMMAND GETKEYS}: shard channels count,
   *     and behind the keys of one spec there may be none for the next ({@code PFMERGE key})
   */
  private boolean collectDeclared(RequestFrame frame, KeyPositions into, boolean toRoute) {
    for (KeySpec spec : keySpecs) {
      boolean isRest = toRoute && into.size() > 0 && spec.find() instanceof FindKeys.Range;
      if ((toRoute || spec.hasKeys()) && !spec.collect(frame, into, keysMayBeNone || isRest)) {
        into.clear();
        return false;
      }
    }
    return true;
  }

  CommandFacts facts() {
    return facts;
  }

  @Nullable NameTable subcommandNames() {
    return subcommandNames;
  }

  @Override
  public String toString() {
    return displayName;
  }
}
