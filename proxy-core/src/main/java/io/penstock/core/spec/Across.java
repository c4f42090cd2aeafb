package io.penstock.core.spec;

/** How a command whose keys are in several partitions can be carried out in steps. */
public enum Across {
  /**
   * On copies of its keys in one partition: it only reads, and gives the same on copies, whatever
   * their names and however long they live.
   */
  COPIES,
  /** As {@link #COPIES}, in the partition of its first key, in which it stores a result. */
  STORE_IN_FIRST,
  /** As {@link #COPIES}, in the partition of its last key, in which it stores a result. */
  STORE_IN_LAST,
  /**
   * As {@link #STORE_IN_LAST}; its patterns name further keys, which are copied if they may be in
   * other partitions.
   */
  SORT,
  /** It runs a script that may write: it is rejected, with a remedy. */
  SCRIPT,
  /** As {@link #COPIES}, if scripts are carried out: it runs a script that only reads. */
  READ_ONLY_SCRIPT,
  /** It moves the value of argument 1 to argument 2, whatever is there. */
  RENAME,
  /** It moves the value of argument 1 to argument 2, if nothing is there. */
  RENAME_IF_NEW,
  /** It copies the value of argument 1 to argument 2. */
  COPY,
  /** It moves a member, argument 3, of the set that is argument 1 to argument 2. */
  MOVE_MEMBER,
  /** It moves an element of the list that is argument 1 to argument 2; 3 and 4 name the ends. */
  MOVE_ELEMENT,
  /** It moves the last element of the list that is argument 1 to the beginning of argument 2. */
  MOVE_LAST_ELEMENT,
  /** It sets all of its keys or none, on a condition about all of them. */
  ALL_OR_NOTHING,
  /** It pops from the first of its keys that is a list with elements; it may wait for one. */
  POP_ELEMENTS,
  /** It pops from the first of its keys that is a sorted set with members; it may wait for one. */
  POP_MEMBERS,
  /** It reads entries of each of its keys, which are streams; it may wait for some. */
  READ_STREAMS
}
