package io.penstock.core.spec;

import io.penstock.core.command.CommandTable;
import io.penstock.core.resp.RequestFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything known about one command or subcommand. Immutable. One object per command of a {@link
 * CommandTable}, shared by all event loops and compared by identity.
 */
public final class CommandSpec {

  /** The result of {@link #findKeys} for arguments in which no server could find the keys. */
  public static final int INVALID = -1;

  private final int id;
  private final CommandFacts facts;
  private final Handling handling;
  private final CommandTraits traits;
  private final List<CommandSpec> subcommands;
  private final @Nullable NameTable subcommandNames;
  private final String displayName;
  private final int arity;
  private final boolean readOnly;
  private final boolean write;
  private final boolean mayReadReplica;
  private final Mirrored mirrored;
  private final ReplyComparison comparison;
  private final Prefixing prefixing;
  private final int firstKeyIndex;
  private final boolean script;
  private final boolean keysOptional;
  private final KeySpec[] keySpecs;
  private final @Nullable KeyProcedure procedure;
  private final @Nullable PatternArguments patterns;

  public CommandSpec(
      int id,
      CommandFacts facts,
      Handling handling,
      CommandTraits traits,
      List<CommandSpec> subcommands) {
    this.id = id;
    this.facts = facts;
    this.handling = handling;
    this.traits = traits;
    this.subcommands = List.copyOf(subcommands);
    subcommandNames = subcommands.isEmpty() ? null : new NameTable(subcommands);
    displayName = displayName(facts.name());
    arity = facts.arity();
    readOnly = has(CommandFlag.READONLY);
    write = has(CommandFlag.WRITE);
    mayReadReplica = readOnly && ReplicaReads.mayServe(facts, traits);
    mirrored = mirrored(traits, readOnly);
    comparison = ReplyComparison.of(facts, handling, traits, mayReadReplica);
    keysOptional = has(CommandFlag.NO_MANDATORY_KEYS);
    procedure = traits.keys();
    patterns = traits.patterns();
    keySpecs = procedure == null ? locatable(facts) : facts.keySpecs().toArray(new KeySpec[0]);
    firstKeyIndex = firstKeyIndex(keySpecs, arity);
    prefixing = prefixing(traits, hasKeys());
    script = facts.acl().contains(AclCategory.SCRIPTING);
  }

  /**
   * Returns the key specs that locate keys, for a command without a key procedure. The specs of a
   * learnt command may be incomplete; the node then checks whether the remaining keys are of the
   * same slot.
   */
  private static KeySpec[] locatable(CommandFacts facts) {
    List<KeySpec> located = new ArrayList<>();
    for (KeySpec spec : facts.keySpecs()) {
      if (spec.isLocatable()) {
        located.add(spec.withoutIncomplete());
      }
    }
    return located.toArray(new KeySpec[0]);
  }

  private static Mirrored mirrored(CommandTraits traits, boolean readOnly) {
    Mirrored said = traits.mirrored();
    if (said != null) {
      return said;
    }
    return readOnly ? Mirrored.NOTHING : Mirrored.REFUSED;
  }

  private static Prefixing prefixing(CommandTraits traits, boolean hasKeys) {
    Prefixing said = traits.prefixing();
    if (said != null) {
      return said;
    }
    return hasKeys ? Prefixing.KEYS : Prefixing.REFUSED;
  }

  /** Returns 0 if a request with an accepted arity may lack the argument. */
  private static int firstKeyIndex(KeySpec[] specs, int arity) {
    int index = specs.length == 1 ? specs[0].fixedKeyIndex() : 0;
    return index < Math.abs(arity) ? index : 0;
  }

  /** Returns a command's name for messages: {@code CONFIG GET}. */
  public static String displayName(String name) {
    return name.toUpperCase(Locale.ROOT).replace('|', ' ');
  }

  /** Returns the id. Ids are dense over all commands and subcommands of the table, from 0. */
  public int id() {
    return id;
  }

  /**
   * Returns the name in lower case; {@code config|get} for a subcommand. Decisions are not made by
   * names, but by the handling and by {@linkplain #has(Trait) traits}.
   */
  public String name() {
    return facts.name();
  }

  /** Returns the name as servers write it: commands of modules may have capitals. */
  public String wireName() {
    return facts.wireName();
  }

  /** Returns the name in upper case; {@code CONFIG GET} for a subcommand. */
  public String displayName() {
    return displayName;
  }

  /** Returns the arity as Redis defines it: including the name; negative for a minimum. */
  public int arity() {
    return arity;
  }

  /** Returns whether {@code argc} arguments, including the name, match the arity. */
  public boolean acceptsArity(int argc) {
    return arity < 0 ? argc >= -arity : argc == arity;
  }

  /** Returns whether it publishes, subscribes or tells of subscriptions. */
  public boolean isPubSub() {
    return has(CommandFlag.PUBSUB);
  }

  public boolean has(CommandFlag flag) {
    return facts.flags().contains(flag);
  }

  /** Returns how it can be carried out if its keys are in several partitions; null if it cannot. */
  public @Nullable Across across() {
    return traits.across();
  }

  /**
   * Returns what the copies of an upstream with mirrored writes get for it. A command that no line
   * of {@code handling.table} mentions is refused if it is not {@code readonly}.
   */
  public Mirrored mirrored() {
    return mirrored;
  }

  /** Returns what becomes of it if its user has a key prefix. */
  public Prefixing prefixing() {
    return prefixing;
  }

  /** Returns where its reply carries keys, or channels. */
  public Prefixing.Reply replyKeys() {
    return traits.replyKeys();
  }

  /** Returns Penstock's answer if it has users; null for a command that is not about users. */
  public @Nullable LocalCommand answerWithUsers() {
    return has(Trait.ABOUT_USERS) ? LocalCommand.named(name()) : null;
  }

  public boolean has(Trait trait) {
    return traits.has(trait);
  }

  /**
   * Returns whether it has the flag {@code readonly}: it may be sent again after a lost connection.
   */
  public boolean isReadOnly() {
    return readOnly;
  }

  /**
   * Returns whether it has the flag {@code write}. Scripts have neither this flag nor {@code
   * readonly}.
   */
  public boolean isWrite() {
    return write;
  }

  /** Returns whether a replica gives the same answer as its master, apart from its lag. */
  public boolean mayReadReplica() {
    return mayReadReplica;
  }

  /** Returns how replies of servers with the same data are compared. */
  public ReplyComparison comparison() {
    return comparison;
  }

  /** Returns whether it runs a script or function, which may return any error. */
  public boolean isScript() {
    return script;
  }

  public Handling handling() {
    return handling;
  }

  /** Returns false if the request has a glob pattern that is too long. */
  public boolean acceptsPatterns(RequestFrame frame) {
    return patterns == null || !patterns.isTooLong(frame);
  }

  /**
   * Returns the argument index of the command's only key (or shard channel) if every call has
   * exactly one, at the same index; otherwise 0. A request with an accepted arity has that
   * argument.
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

  /** Returns the command tips as servers report them. */
  public List<String> tips() {
    return facts.tips();
  }

  public RequestPolicy requestPolicy() {
    return facts.requestPolicy();
  }

  public ResponsePolicy responsePolicy() {
    return facts.responsePolicy();
  }

  /** Returns the subcommands, in the table's order; empty if this is no container. */
  public List<CommandSpec> subcommands() {
    return subcommands;
  }

  /** Returns whether it has subcommands. */
  public boolean isContainer() {
    return subcommandNames != null;
  }

  /** Returns whether an argument can be a key. Shard channels are not keys. */
  public boolean hasKeys() {
    for (KeySpec spec : keySpecs) {
      if (spec.hasKeys()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Finds the keys (and shard channels) by which a cluster node routes the request. The arity must
   * be accepted. Allocates nothing.
   *
   * @param into cleared first; empty if the result is not positive
   * @return how many there are; {@link #INVALID} if the arguments are wrong (numkeys is no number,
   *     for example), so that any node answers the call with the same error
   */
  public int findKeys(RequestFrame frame, KeyPositions into) {
    into.clear();
    if (procedure != null) {
      procedure.collect(frame, into);
    } else if (!collectBySpecs(frame, into, true)) {
      return INVALID;
    }
    return into.size() == 0 && keySpecs.length > 0 && !keysOptional ? INVALID : into.size();
  }

  /** Returns whether arguments may be patterns that name more keys, as those of {@code SORT}. */
  public boolean hasKeyPatterns() {
    return procedure == KeyProcedure.SORT || procedure == KeyProcedure.SORT_RO;
  }

  /** Returns whether {@link #findKeys} finds the keys by code, not by the key specs. */
  public boolean hasKeyProcedure() {
    return procedure != null;
  }

  /**
   * Finds keys like {@code COMMAND GETKEYS}: by the key specs if they match, and without shard
   * channels. It does not distinguish no keys from wrong arguments.
   */
  public void findKeysForGetKeys(RequestFrame frame, KeyPositions into) {
    into.clear();
    if (!collectBySpecs(frame, into, false) && procedure != null) {
      procedure.collect(frame, into);
    }
  }

  /**
   * Finds keys by the key specs. Returns false if the arguments do not match them.
   *
   * @param toRoute true to find keys like a cluster node, false like {@code COMMAND GETKEYS}. A
   *     node includes shard channels, and after the keys of one spec accepts none for the next
   *     ({@code PFMERGE key})
   */
  private boolean collectBySpecs(RequestFrame frame, KeyPositions into, boolean toRoute) {
    for (KeySpec spec : keySpecs) {
      boolean optionalRest = toRoute && into.size() > 0 && spec.find() instanceof FindKeys.Range;
      if ((toRoute || spec.hasKeys()) && !spec.collect(frame, into, keysOptional || optionalRest)) {
        into.clear();
        return false;
      }
    }
    return true;
  }

  public CommandFacts facts() {
    return facts;
  }

  public @Nullable NameTable subcommandNames() {
    return subcommandNames;
  }

  @Override
  public String toString() {
    return displayName;
  }
}
