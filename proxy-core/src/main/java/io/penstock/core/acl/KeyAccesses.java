package io.penstock.core.acl;

import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.Ascii;
import io.penstock.core.spec.BeginSearch;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.FindKeys;
import io.penstock.core.spec.KeyFlag;
import io.penstock.core.spec.KeyPositions;
import io.penstock.core.spec.KeySpec;
import io.penstock.core.spec.Trait;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Finds the keys of a request, with what it does to each, as servers do for permissions ({@code
 * getKeysFromCommandWithSpecs} in db.c). Reusable; confined to one thread.
 */
final class KeyAccesses {

  /** The content of the value is read. */
  static final int READ = 1;

  /** The value is changed, created or deleted. */
  static final int WRITE = 2;

  private static final int INITIAL_CAPACITY = 16;
  private static final int FIRST_OPTION_OF_SET = 3;
  private static final int FIRST_OPERATION_OF_BITFIELD = 2;

  private final KeyPositions positions = new KeyPositions();
  private byte[] accesses = new byte[INITIAL_CAPACITY];
  private int known; // positions whose access is set

  /** Returns the number of keys. */
  int size() {
    return positions.size();
  }

  /** Returns the argument index of a key. */
  int position(int i) {
    return positions.get(i);
  }

  /** Returns {@link #READ}, {@link #WRITE}, both, or neither for what only asks about the key. */
  int access(int i) {
    return accesses[i];
  }

  /** Returns the access of each key spec of a command. */
  static byte[] of(CommandSpec spec) {
    List<KeySpec> specs = spec.keySpecs();
    byte[] accesses = new byte[specs.size()];
    for (int i = 0; i < accesses.length; i++) {
      accesses[i] = of(specs.get(i));
    }
    return accesses;
  }

  /**
   * Returns the access that the flags of a key spec say: any, if they say nothing. Servers before
   * Redis 7 do not tell flags.
   */
  private static byte of(KeySpec spec) {
    Set<KeyFlag> flags = spec.flags();
    if (Collections.disjoint(flags, EnumSet.range(KeyFlag.RO, KeyFlag.DELETE))) {
      return READ | WRITE;
    }
    boolean writes =
        flags.contains(KeyFlag.INSERT)
            || flags.contains(KeyFlag.UPDATE)
            || flags.contains(KeyFlag.DELETE);
    return (byte) ((flags.contains(KeyFlag.ACCESS) ? READ : 0) | (writes ? WRITE : 0));
  }

  /** Returns whether a spec leaves the access to the arguments. */
  static boolean depends(CommandSpec spec) {
    return spec.has(Trait.READS_KEY_IF_GET) || spec.has(Trait.WRITES_KEY_UNLESS_GET);
  }

  /**
   * Finds the keys of a request whose arity is accepted.
   *
   * @param ofSpecs the access of each key spec
   * @return false if they cannot be found: the specs of a learnt command do not say all
   */
  boolean find(RequestFrame frame, CommandSpec spec, byte[] ofSpecs) {
    positions.clear();
    known = 0;
    if (depends(spec)) {
      positions.add(spec.firstKeyIndex());
      setAccess(dependentAccess(frame, spec));
      return true;
    }
    if (ofSpecs.length == 0) {
      return false;
    }
    if (spec.hasKeyProcedure()) {
      findByProcedure(frame, spec, ofSpecs);
      return true;
    }
    return findBySpecs(frame, spec.keySpecs(), ofSpecs);
  }

  private static int dependentAccess(RequestFrame frame, CommandSpec spec) {
    if (spec.has(Trait.READS_KEY_IF_GET)) {
      return readsByOption(frame) ? READ | WRITE : WRITE;
    }
    return onlyGets(frame) ? READ : READ | WRITE;
  }

  private static boolean readsByOption(RequestFrame frame) {
    for (int i = FIRST_OPTION_OF_SET; i < frame.argc(); i++) {
      if (Ascii.equalsIgnoreCase(frame, i, "get")) {
        return true;
      }
    }
    return false;
  }

  private static boolean onlyGets(RequestFrame frame) {
    for (int i = FIRST_OPERATION_OF_BITFIELD; i < frame.argc(); i++) {
      int further = frame.argc() - i - 1;
      if (further >= 2 && Ascii.equalsIgnoreCase(frame, i, "get")) {
        i += 2;
      } else if (further >= 1 && Ascii.equalsIgnoreCase(frame, i, "overflow")) {
        i++;
      } else {
        return false;
      }
    }
    return true;
  }

  /** The first key has the access of the first spec, the others have that of the last one. */
  private void findByProcedure(RequestFrame frame, CommandSpec spec, byte[] ofSpecs) {
    spec.findKeys(frame, positions);
    setAccess(ofSpecs[ofSpecs.length - 1]);
    if (size() > 0) {
      accesses[0] = ofSpecs[0];
    }
  }

  private boolean findBySpecs(RequestFrame frame, List<KeySpec> specs, byte[] ofSpecs) {
    for (int i = 0; i < specs.size(); i++) {
      KeySpec spec = specs.get(i);
      if (spec.hasKeys()) {
        if (!spec.isLocatable() || spec.flags().contains(KeyFlag.INCOMPLETE)) {
          return false;
        }
        if (!add(frame, spec)) {
          positions.clear();
          return true;
        }
        setAccess(ofSpecs[i]);
      }
    }
    return true;
  }

  /**
   * Adds the keys of one spec. Returns false if the number of keys is wrong: servers then find no
   * keys at all, and reject the call. They also find none if the last keys are missing ({@code
   * PFMERGE key}), but execute the call; here the first key counts.
   */
  private boolean add(RequestFrame frame, KeySpec spec) {
    int first = spec.begin().first(frame);
    int found = first == BeginSearch.ABSENT ? 0 : spec.find().collect(frame, first, positions);
    return found > 0 || !(spec.find() instanceof FindKeys.KeyNum);
  }

  /** Sets the access of the keys that were added since the last call. */
  private void setAccess(int access) {
    int size = positions.size();
    if (accesses.length < size) {
      accesses = Arrays.copyOf(accesses, Math.max(size, accesses.length * 2));
    }
    Arrays.fill(accesses, known, size, (byte) access);
    known = size;
  }
}
