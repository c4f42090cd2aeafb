package io.penstock.server.fault;

import io.penstock.server.fault.FaultTimeline.Entry;
import java.util.Random;
import java.util.Set;

/**
 * A fault that can be injected.
 *
 * @param place where it happens: faults at different places can be active together
 * @param errors prefixes of the errors that clients may get because of it; all other replies must
 *     be correct
 */
record Fault(String name, Place place, Set<String> errors, Action action) {

  enum Place {
    /** Nodes, their roles and slots. */
    NODES,
    /** The network. */
    NETWORK
  }

  /** Injects a fault and removes it. */
  interface Action {
    /**
     * Returns when the fault is over.
     *
     * @param entry records from when to when a master may lose acknowledged writes
     */
    void inject(FaultTestbed testbed, Random random, Entry entry);
  }

  @Override
  public String toString() {
    return name;
  }
}
