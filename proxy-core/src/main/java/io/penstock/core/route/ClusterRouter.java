package io.penstock.core.route;

import io.penstock.core.cluster.Slot;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandErrors;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.Handling;
import io.penstock.core.command.KeyPositions;
import io.penstock.core.resp.RequestFrame;
import java.util.Arrays;

/** Routes by the slots of a command's keys. */
public final class ClusterRouter extends CommandRouter {

  private static final RoutePlan.Reject CROSS_SLOT =
      new RoutePlan.Reject("CROSSSLOT Keys in request don't hash to the same slot");
  private static final RoutePlan SCAN = new RoutePlan.Scan();
  private static final int NO_GROUP = -1;
  private static final RoutePlan.Single[] BY_SLOT = new RoutePlan.Single[SlotMap.SLOTS];
  private static final RoutePlan.Several[] SEVERAL = new RoutePlan.Several[SlotMap.SLOTS];

  static {
    Arrays.setAll(BY_SLOT, RoutePlan.Single::new);
    Arrays.setAll(SEVERAL, RoutePlan.Several::new);
  }

  private final KeyPositions keys = new KeyPositions();
  private final RoutePlan.Split split = new RoutePlan.Split();
  private KnownSlots known = KnownSlots.NONE;
  private final int[] groupOfSlot = new int[SlotMap.SLOTS]; // NO_GROUP between calls

  public ClusterRouter() {
    Arrays.fill(groupOfSlot, NO_GROUP);
  }

  @Override
  public void know(KnownSlots slots) {
    known = slots;
  }

  @Override
  RoutePlan forward(Command command, CommandSpec spec) {
    RequestFrame frame = command.frame();
    int onlyKey = spec.firstKeyIndex();
    if (onlyKey > 0) {
      return BY_SLOT[slot(frame, onlyKey)];
    }
    if (spec.findKeys(frame, keys) <= 0) {
      return BY_SLOT[0]; // without keys, or with arguments whose error is the server's to word
    }
    int slot = knownSlot(frame, keys.get(0));
    for (int i = 1; i < keys.size(); i++) {
      if (knownSlot(frame, keys.get(i)) != slot) {
        return CROSS_SLOT;
      }
    }
    return keys.size() == 1 ? BY_SLOT[slot] : SEVERAL[slot];
  }

  @Override
  int slotOfChannel(Command command) {
    return slot(command.frame(), 1);
  }

  @Override
  RoutePlan split(Command command, CommandSpec spec, Handling.Split how) {
    RequestFrame frame = command.frame();
    int first = how.firstKey();
    int step = how.keyStep();
    if (!how.divides(frame.argc())) {
      // A node tells it when the command runs, which may be at EXEC; of several slots it would not.
      RoutePlan plan = forward(command, spec);
      return plan == CROSS_SLOT ? new RoutePlan.Reject(CommandErrors.wrongArity(spec)) : plan;
    }
    int count = (frame.argc() - first) / step;
    if (count == 1) {
      return BY_SLOT[slot(frame, first)];
    }
    split.begin(how.merge(), first, step, count);
    for (int i = 0; i < count; i++) {
      int slot = knownSlot(frame, first + i * step);
      int group = groupOfSlot[slot];
      if (group == NO_GROUP) {
        group = split.addGroup(slot);
        groupOfSlot[slot] = group;
      }
      split.groupOfKey[i] = group;
      split.keysOfGroup[group]++;
    }
    for (int group = 0; group < split.groups(); group++) {
      groupOfSlot[split.slotOfGroup(group)] = NO_GROUP;
    }
    return split.groups() == 1 ? SEVERAL[split.slotOfGroup(0)] : split;
  }

  @Override
  RoutePlan broadcast(CommandSpec spec, Handling.Broadcast how) {
    return new RoutePlan.Broadcast(how.merge(), how.aside());
  }

  @Override
  RoutePlan script(Command command, CommandSpec spec) {
    RoutePlan plan = forward(command, spec);
    return plan instanceof RoutePlan.OneSlot one
        ? new RoutePlan.Script(one.slot(), plan instanceof RoutePlan.Several)
        : plan;
  }

  @Override
  RoutePlan scan() {
    return SCAN;
  }

  private int knownSlot(RequestFrame frame, int argument) {
    return known.has(frame, argument) ? known.get(argument) : slot(frame, argument);
  }

  private static int slot(RequestFrame frame, int argument) {
    return Slot.of(frame.buffer(), frame.offset(argument), frame.length(argument));
  }
}
