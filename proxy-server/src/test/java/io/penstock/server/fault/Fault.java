package io.penstock.server.fault;

import io.penstock.server.fault.FaultTimeline.Spell;
import java.util.Random;
import java.util.Set;

/**
 * Something that goes wrong.
 *
 * @param place what it is done to: two faults at different places can go on at once
 * @param words what clients may be answered because of it, by first word; whatever else they are
 *     answered has to be right
 */
record Fault(String name, Place place, Set<String> words, Deed deed) {

  enum Place {
    /** Nodes, their roles and slots. */
    CLUSTER,
    /** The network. */
    NETWORK
  }

  /** Does it and undoes it. */
  interface Deed {
    /**
     * Answers when nothing is wrong any more.
     *
     * @param spell to say from when to when a master may lose what it has acknowledged
     */
    void strike(FaultTestbed scene, Random random, Spell spell);
  }

  @Override
  public String toString() {
    return name;
  }
}
