package io.penstock.core.cluster;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Shard;
import java.util.List;

/** Slot maps for tests. */
public final class SlotMaps {

  private SlotMaps() {}

  /** A cluster with every slot on one master. */
  public static SlotMap oneMaster(Endpoint master) {
    return new SlotMap.Builder()
        .shard(new Shard(master, List.of(), 0))
        .range(0, SlotMap.SLOTS - 1)
        .build();
  }
}
