package io.penstock.core.route;

import io.penstock.core.command.Command;
import io.penstock.core.command.CommandErrors;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.Across;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.KeyPositions;
import io.penstock.core.spec.LocalCommand;
import io.penstock.core.spec.SortPatterns;
import io.penstock.core.spec.Trait;
import io.penstock.core.upstream.Partitioner;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides where commands go, by the partitions of their keys if there are several partitions. One
 * per event loop; confined to it.
 */
public final class Router {

  /**
   * Limit on the arguments of a command that Penstock answers itself (except names to subscribe
   * to), and of a blocking command, which is read and written several times.
   */
  private static final int MAX_ARGUMENTS = 262_144;

  /** Limit for {@code CONFIG GET}: each argument takes some microseconds. */
  private static final int MAX_CONFIG_PARAMETERS = 16_384;

  private static final RoutePlan TOO_MANY =
      new RoutePlan.Reject(
          "OVERLOADED too many arguments for a command that this proxy answers itself");

  private static final RoutePlan TOO_MANY_FOR_BLOCKING =
      new RoutePlan.Reject("OVERLOADED too many arguments for a command that blocks");

  private static final RoutePlan ANY_NODE = new RoutePlan.AnyNode();

  private static final RoutePlan ACROSS = new RoutePlan.Across();

  private static final RoutePlan WATCH_SEVERAL = new RoutePlan.Watch(RoutePlan.Watch.SEVERAL);

  private static final RoutePlan.Reject CROSS_SLOT =
      new RoutePlan.Reject("CROSSSLOT Keys in request don't hash to the same slot");

  private static final RoutePlan REPORTED = new RoutePlan.Reject(CROSS_SLOT.error(), true);

  private static final RoutePlan.Reject CROSS_SLOT_SCRIPT =
      new RoutePlan.Reject(
          "CROSSSLOT Keys in request don't hash to the same slot. Give all keys of a script one hash"
              + " tag, or the application a key prefix with one");

  private static final RoutePlan.Reject CROSS_SLOT_READ_ONLY_SCRIPT =
      new RoutePlan.Reject(
          CROSS_SLOT_SCRIPT.error()
              + "; a script that only reads may run on copies of its keys with cross-slot-scripts");

  private static final RoutePlan.Reject TOO_MANY_PARTITIONS =
      new RoutePlan.Reject(
          "ERR SCAN over more than "
              + ScanCursor.MAX_PARTITIONS
              + " partitions is not supported by this proxy; scan the nodes one by one");

  private static final int NO_GROUP = -1;

  private final Partitioner partitioner;
  private final boolean partitioned; // if false, keys are not read
  private final boolean severalNodes;
  private final CrossSlot crossSlot;
  private final boolean users; // whether Penstock answers commands about users itself
  private final boolean scripts; // whether those that only read may have keys in several partitions
  private final RoutePlan across; // of a command that could be carried out in steps
  private final RoutePlan watchSeveral; // of WATCH with keys in several partitions
  private final PartitionPlans plans;
  private final RoutePlan scan;
  private final KeyPositions keys = new KeyPositions();
  private final RoutePlan.ReusedSplit split;
  private final int[] groupOfPartition; // NO_GROUP between calls
  private final Map<CommandSpec, RoutePlan> fixed = new HashMap<>();
  private KnownPartitions known = KnownPartitions.NONE;

  /**
   * For an upstream whose masters alone serve commands.
   *
   * @param partitioner of the upstream that commands go to
   */
  public Router(Partitioner partitioner) {
    this(partitioner, false);
  }

  /**
   * @param partitioner of the upstream that commands go to
   * @param readsReplicas whether replicas serve commands, too
   */
  public Router(Partitioner partitioner, boolean readsReplicas) {
    this(partitioner, readsReplicas, CrossSlot.REJECT, false, false);
  }

  private Router(
      Partitioner partitioner,
      boolean readsReplicas,
      CrossSlot crossSlot,
      boolean scripts,
      boolean users) {
    this.users = users;
    this.crossSlot = crossSlot;
    this.scripts = scripts;
    this.across =
        switch (crossSlot) {
          case REJECT -> CROSS_SLOT;
          case REPORT -> REPORTED;
          case EMULATE -> ACROSS;
        };
    this.watchSeveral = across == ACROSS ? WATCH_SEVERAL : across;
    int partitions = partitioner.partitions();
    this.partitioner = partitioner;
    this.partitioned = partitions > 1;
    this.severalNodes = partitioned || readsReplicas;
    this.plans = PartitionPlans.of(partitions);
    this.scan = partitions > ScanCursor.MAX_PARTITIONS ? TOO_MANY_PARTITIONS : new RoutePlan.Scan();
    this.split = new RoutePlan.ReusedSplit(partitions);
    this.groupOfPartition = new int[partitions];
    Arrays.fill(groupOfPartition, NO_GROUP);
  }

  /**
   * Returns a router that does this with commands whose keys are in several partitions.
   *
   * @param otherScripts whether with scripts that only read, too; other scripts are rejected
   */
  public Router with(CrossSlot other, boolean otherScripts) {
    return other == crossSlot && otherScripts == scripts
        ? this
        : new Router(partitioner, severalNodes && !partitioned, other, otherScripts, users);
  }

  /** Returns a router for a Penstock that has users and answers commands about them itself. */
  public Router withUsers() {
    return users
        ? this
        : new Router(partitioner, severalNodes && !partitioned, crossSlot, scripts, true);
  }

  /**
   * Sets partitions of one request that were computed before; used until the next call. {@link
   * KnownPartitions#NONE} for none.
   */
  public void useKnownPartitions(KnownPartitions partitions) {
    known = partitions;
  }

  /** Returns the partition that an argument belongs to if it is a key. */
  public int partitionOf(RequestFrame frame, int argument) {
    return partitioned
        ? partitioner.partitionOf(frame.buffer(), frame.offset(argument), frame.length(argument))
        : 0;
  }

  /**
   * Looks up the command and returns what to do with it. Allocates nothing for a command that goes
   * to one node.
   *
   * @param command with its frame set; it is resolved here
   */
  public RoutePlan route(Command command) {
    CommandSpec spec = command.resolve();
    if (spec == null) {
      return new RoutePlan.Reject(CommandErrors.unknownCommand(command.frame()));
    }
    if (command.isUnknownSubcommand()) {
      return new RoutePlan.Reject(CommandErrors.unknownSubcommand(command.frame(), spec));
    }
    if (!spec.acceptsArity(command.argc())) {
      return new RoutePlan.Reject(CommandErrors.wrongArity(spec));
    }
    if (!spec.acceptsPatterns(command.frame())) {
      return new RoutePlan.Reject(CommandErrors.PATTERN_TOO_LONG);
    }
    if (users && spec.has(Trait.ABOUT_USERS)) {
      return fixed(spec);
    }
    return switch (spec.handling()) {
      case Handling.Forward _ -> forward(command, spec);
      case Handling.Split split -> split(command, spec, split);
      case Handling.Watch _ -> watch(command, spec);
      case Handling.Blocking blocking ->
          blocking(command, spec, blocking.timeoutAt(command.frame()), false);
      case Handling.BlockingIf blocking ->
          blocking(command, spec, blocking.timeoutAt(command.frame()), true);
      case Handling.AnyNode _ -> ANY_NODE;
      case Handling.Script _ -> script(command, spec);
      case Handling.Scan _ -> partitioned ? scan : plans.single(0);
      case Handling.Publish(boolean sharded) ->
          new RoutePlan.Publish(partitionOf(command.frame(), 1), sharded);
      case Handling.Local(LocalCommand own) when hasTooMany(own, command.argc()) -> TOO_MANY;
      case Handling.Broadcast _, Handling.Local _, Handling.Rejected _ -> fixed(spec);
    };
  }

  private RoutePlan watch(Command command, CommandSpec spec) {
    RoutePlan plan = forward(command, spec);
    if (plan instanceof RoutePlan.OnePartition one) {
      return new RoutePlan.Watch(one.partition());
    }
    return plan == CROSS_SLOT ? watchSeveral : plan;
  }

  private static boolean hasTooMany(LocalCommand own, int argc) {
    return argc > MAX_CONFIG_PARAMETERS
        && (own == LocalCommand.CONFIG_GET || argc > MAX_ARGUMENTS)
        && own.area() != LocalCommand.Area.SUBSCRIPTION;
  }

  private RoutePlan blocking(Command command, CommandSpec spec, int timeoutAt, boolean millis) {
    if (command.argc() > MAX_ARGUMENTS) {
      return TOO_MANY_FOR_BLOCKING;
    }
    RoutePlan plan = forward(command, spec);
    return timeoutAt > 0 && plan instanceof RoutePlan.OnePartition one
        ? new RoutePlan.Blocking(one.partition(), timeoutAt, millis)
        : plan;
  }

  private RoutePlan fixed(CommandSpec spec) {
    RoutePlan known = fixed.get(spec);
    if (known == null) {
      known = makeFixed(spec);
      fixed.put(spec, known);
    }
    return known;
  }

  private RoutePlan makeFixed(CommandSpec spec) {
    boolean denied =
        spec.handling() instanceof Handling.Rejected(_, boolean configured) && configured;
    LocalCommand own = users && !denied ? spec.answerWithUsers() : null;
    if (own != null) {
      return new RoutePlan.Local(spec, own);
    }
    return switch (spec.handling()) {
      case Handling.Broadcast broadcast -> broadcast(spec, broadcast);
      case Handling.Local local -> new RoutePlan.Local(spec, local.command());
      case Handling.Rejected rejected -> new RoutePlan.Reject(rejected.error());
      default -> throw new IllegalStateException(spec + " has no fixed plan");
    };
  }

  /** The plan for a command that goes to the node of its keys. */
  private RoutePlan forward(Command command, CommandSpec spec) {
    if (!partitioned) {
      return plans.single(0);
    }
    RequestFrame frame = command.frame();
    int onlyKey = spec.firstKeyIndex();
    if (onlyKey > 0) {
      return plans.single(partitionOf(frame, onlyKey));
    }
    if (spec.findKeys(frame, keys) <= 0) {
      return plans.single(0); // without keys, or with wrong arguments, which the node reports
    }
    int partition = knownPartition(frame, keys.get(0));
    for (int i = 1; i < keys.size(); i++) {
      if (knownPartition(frame, keys.get(i)) != partition) {
        return severalPartitions(spec);
      }
    }
    if (spec.hasKeyPatterns()) {
      int leaving = crossSlot == CrossSlot.REJECT ? 0 : leavingPattern(frame, partition);
      if (leaving > 0) {
        return crossSlot == CrossSlot.EMULATE
            ? ACROSS
            : new RoutePlan.Reject(SortPatterns.error(frame, leaving), true);
      }
      String error = patternError(frame, partition);
      if (error != null) {
        return new RoutePlan.Reject(error);
      }
    }
    return keys.size() == 1 ? plans.single(partition) : plans.multiKey(partition);
  }

  /** The plan for a command that is not split and has keys in several partitions. */
  private RoutePlan severalPartitions(CommandSpec spec) {
    Across how = spec.across();
    if (how == null) {
      return CROSS_SLOT;
    }
    boolean readOnlyScript = how == Across.READ_ONLY_SCRIPT && !scripts;
    if (how != Across.SCRIPT && !readOnlyScript) {
      return across;
    }
    if (crossSlot != CrossSlot.EMULATE) {
      return CROSS_SLOT;
    }
    return readOnlyScript ? CROSS_SLOT_READ_ONLY_SCRIPT : CROSS_SLOT_SCRIPT;
  }

  /** Returns the argument that may name keys of other partitions; 0 if there is none. */
  private int leavingPattern(RequestFrame frame, int partition) {
    int i = SortPatterns.nextChecked(frame, 2);
    for (; i > 0; i = SortPatterns.nextChecked(frame, i + 1)) {
      int literal = SortPatterns.literal(frame, i);
      if (!partitioner.has(partition, frame.buffer(), frame.offset(i), literal)) {
        return i;
      }
    }
    return 0;
  }

  private @Nullable String patternError(RequestFrame frame, int partition) {
    for (int i = SortPatterns.next(frame, 2); i > 0; i = SortPatterns.next(frame, i + 1)) {
      int literal = SortPatterns.literal(frame, i);
      if (partitioner.mayLeave(partition, frame.buffer(), frame.offset(i), literal)) {
        return SortPatterns.error(frame, i);
      }
    }
    return null;
  }

  /** The plan for a command whose keys may lie on several nodes. */
  private RoutePlan split(Command command, CommandSpec spec, Handling.Split how) {
    if (!partitioned) {
      return plans.single(0);
    }
    RequestFrame frame = command.frame();
    int first = how.firstKey();
    int step = how.keyStep();
    int count = how.keys(frame);
    if (count == Handling.Split.WHOLE) {
      // The node reports an error when the command runs, which may be at EXEC; a command with keys
      // of several partitions is not sent.
      RoutePlan plan = forward(command, spec);
      return plan == CROSS_SLOT && how.countAt() == 0
          ? new RoutePlan.Reject(CommandErrors.wrongArity(spec))
          : plan;
    }
    if (count == 1) {
      return plans.single(partitionOf(frame, first));
    }
    split.begin(how, count);
    for (int i = 0; i < count; i++) {
      int partition = knownPartition(frame, first + i * step);
      int group = groupOfPartition[partition];
      if (group == NO_GROUP) {
        group = split.addGroup(partition);
        groupOfPartition[partition] = group;
      }
      split.groupOfKey[i] = group;
      split.keysOfGroup[group]++;
    }
    for (int group = 0; group < split.groups(); group++) {
      groupOfPartition[split.partitionOfGroup(group)] = NO_GROUP;
    }
    return split.groups() == 1 ? plans.multiKey(split.partitionOfGroup(0)) : split;
  }

  /** The plan for a command with a script, which other nodes may need. */
  private RoutePlan script(Command command, CommandSpec spec) {
    RoutePlan plan = forward(command, spec);
    return severalNodes && plan instanceof RoutePlan.OnePartition one
        ? new RoutePlan.Script(one.partition(), plan instanceof RoutePlan.MultiKey)
        : plan;
  }

  /**
   * The plan for a command that concerns every shard. A single server answers it alone, except for
   * commands that must get past a running script and so need a separate connection, commands that
   * count Penstock's connections instead of clients, and commands that also concern Penstock. If
   * there are replicas, that includes those about scripts, which servers do not replicate.
   */
  private RoutePlan broadcast(CommandSpec spec, Handling.Broadcast how) {
    return partitioned
            || how.aside()
            || how.merge().countsClients()
            || concernsPenstock(spec)
            || (severalNodes && changesScripts(spec))
        ? new RoutePlan.Broadcast(how.merge(), how.aside())
        : plans.single(0);
  }

  private static boolean concernsPenstock(CommandSpec spec) {
    return spec.has(Trait.SETS_PARAMETERS) || spec.has(Trait.RESETS_STATISTICS);
  }

  private static boolean changesScripts(CommandSpec spec) {
    return spec.has(Trait.LOADS_SCRIPT) || spec.has(Trait.FLUSHES_SCRIPTS);
  }

  private int knownPartition(RequestFrame frame, int argument) {
    return known.has(frame, argument) ? known.get(argument) : partitionOf(frame, argument);
  }
}
