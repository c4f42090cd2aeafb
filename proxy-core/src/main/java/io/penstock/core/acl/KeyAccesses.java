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
import java.util.List;

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

  /** Returns the access that the flags of a key spec say. */
  static int of(KeySpec spec) {
    int access = spec.flags().contains(KeyFlag.ACCESS) ? READ : 0;
    boolean writes =
        spec.flags().contains(KeyFlag.INSERT)
            || spec.flags().contains(KeyFlag.UPDATE)
            || spec.flags().contains(KeyFlag.DELETE);
    return writes ? access | WRITE : access;
  }

  /** Returns whether a spec leaves the access to the arguments. */
  static boolean depends(CommandSpec spec) {
    return spec.has(Trait.READS_KEY_IF_GET) || spec.has(Trait.WRITES_KEY_UNLESS_GET);
  }

  /**
   * Finds the keys of a request whose arity is accepted.
   *
   * @return false if they cannot be found: the specs of a learnt command do not say all
   */
  boolean find(RequestFrame frame, CommandSpec spec) {
    positions.clear();
    known = 0;
    if (depends(spec)) {
      positions.add(spec.firstKeyIndex());
      setAccess(dependentAccess(frame, spec));
      return true;
    }
    if (spec.hasKeyProcedure()) {
      findByProcedure(frame, spec);
      return true;
    }
    return !spec.keySpecs().isEmpty() && findBySpecs(frame, spec.keySpecs());
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
  private void findByProcedure(RequestFrame frame, CommandSpec spec) {
    List<KeySpec> specs = spec.keySpecs();
    spec.findKeys(frame, positions);
    int last = of(specs.getLast());
    setAccess(last);
    if (size() > 0) {
      accesses[0] = (byte) of(specs.getFirst());
    }
  }

  private boolean findBySpecs(RequestFrame frame, List<KeySpec> specs) {
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
        setAccess(of(spec));
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
