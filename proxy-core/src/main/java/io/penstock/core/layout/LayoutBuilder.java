package io.penstock.core.layout;

import io.penstock.core.hash.HashTag;
import io.penstock.core.hash.KeyHash;
import io.penstock.core.hash.KeyHasher;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Computes the parts of a {@link ShardLayout} from checked settings. */
record LayoutBuilder(LayoutSettings settings, IntUnaryOperator random) {

  private static final String BRACES = "{}";
  private static final int TAG_CHARACTERS = 2;

  Distribution distribution() {
    return settings.distribution();
  }

  /** Returns the names of the shards. */
  List<String> shards() {
    Set<String> names = new LinkedHashSet<>();
    settings.servers().forEach(server -> names.add(server.label()));
    settings.slots().forEach(share -> names.add(share.to()));
    return List.copyOf(names);
  }

  /** Returns the shard of each partition. */
  int[] owners() {
    if (!distribution().hasSlots()) {
      return IntStream.range(0, settings.servers().size()).toArray();
    }
    List<String> shards = shards();
    int[] owners = new int[settings.slots().stream().mapToInt(share -> share.slots().size()).sum()];
    for (SlotShare share : settings.slots()) {
      int shard = shards.indexOf(share.to());
      share.slots().forEach(slot -> owners[slot] = shard);
    }
    return owners;
  }

  /** Returns what hashes keys, or null if the hash does not matter. */
  @Nullable KeyHasher hasher() {
    Distribution distribution = distribution();
    boolean single = !distribution.hasSlots() && settings.servers().size() == 1;
    if (distribution == Distribution.RANDOM || single) {
      return null;
    }
    KeyHash hash =
        switch (distribution) {
          case CODIS -> KeyHash.CRC32A;
          case RMUX -> KeyHash.POLYNOMIAL_33;
          default -> Objects.requireNonNull(HashNames.of(distribution).get(hashName()));
        };
    boolean zeroIfEmpty =
        distribution == Distribution.KETAMA || distribution == Distribution.MODULA;
    return new KeyHasher(hash, tag(), zeroIfEmpty);
  }

  private @Nullable String hashName() {
    String written = settings.hash();
    return written != null ? written : HashNames.defaultOf(distribution());
  }

  private @Nullable HashTag tag() {
    String written = Objects.requireNonNullElse(settings.hashTag(), "");
    return switch (distribution()) {
      case CODIS -> HashTag.of(BRACES, true);
      case CAMELLIA ->
          HashNames.CAMELLIA_DEFAULT.equals(hashName()) ? null : HashTag.of(BRACES, false);
      case OVERLORD -> written.isEmpty() ? HashTag.of(BRACES, true) : tag(written, true);
      case KETAMA, MODULA, RANDOM, PREDIXY, RMUX, DYNOMITE -> tag(written, false);
    };
  }

  /** A text of another length means that there is no tag. */
  private static @Nullable HashTag tag(String written, boolean mayBeEmpty) {
    return written.length() == TAG_CHARACTERS ? HashTag.of(written, mayBeEmpty) : null;
  }

  /**
   * Returns where hashes lead to.
   *
   * @param out the shards that are out, not all
   */
  Places places(BitSet out) {
    List<ShardServer> servers = settings.servers();
    return switch (distribution()) {
      case KETAMA -> Ketama.twemproxy(twemproxyServers(out));
      case MODULA -> Modulo.weighted(twemproxyServers(out));
      case RANDOM -> new AnyPlace(remaining(out).toArray(), random);
      case CODIS -> new Buckets(Distribution.CODIS_SLOTS);
      case CAMELLIA -> new Buckets(owners().length);
      case PREDIXY -> Modulo.even(servers.size());
      case OVERLORD ->
          Ketama.overlord(
              remaining(out).mapToObj(i -> RingServer.ofOverlord(servers.get(i), i)).toList());
      case RMUX -> MultiplesTable.of(servers.size(), out);
      case DYNOMITE -> tokens(servers);
    };
  }

  private List<RingServer> twemproxyServers(BitSet out) {
    Stream<RingServer> servers =
        remaining(out).mapToObj(i -> RingServer.ofTwemproxy(settings.servers().get(i), i));
    return servers.sorted(RingServer.TWEMPROXY_ORDER).toList();
  }

  private IntStream remaining(BitSet out) {
    return IntStream.range(0, settings.servers().size()).filter(i -> !out.get(i));
  }

  private static Ring tokens(List<ShardServer> servers) {
    Ring.Builder ring = new Ring.Builder();
    for (int i = 0; i < servers.size(); i++) {
      for (long token : servers.get(i).tokens()) {
        ring.add((int) token, i);
      }
    }
    return ring.build();
  }
}
