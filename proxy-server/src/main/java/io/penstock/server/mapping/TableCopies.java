package io.penstock.server.mapping;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxySettings.Mirror;
import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.copies.MirrorSettings;
import io.penstock.core.copies.ReplyPolicy;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PropertiesReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The resources for writes of a resource table beside the first: upstreams of their own, which are
 * the copies of upstream {@code default}.
 *
 * @param names of the upstreams, which no other one may have
 * @param kinds of them, in their order
 */
record TableCopies(List<String> names, List<UpstreamSettings> kinds, MirrorSettings settings) {

  private static final String MODE = "transpond.redis-conf.multi-write-mode";

  TableCopies {
    names = List.copyOf(names);
    kinds = List.copyOf(kinds);
  }

  /**
   * Returns them with their names.
   *
   * @param kinds at least one
   * @param upstream {@code default}
   * @throws InvalidConfigurationException if the mode is one that Penstock does not have
   */
  static TableCopies of(
      List<UpstreamSettings> kinds,
      PenstockProperties.Upstream upstream,
      PenstockProperties.RedisConf conf,
      PropertiesReader reader) {
    var settings =
        new MirrorSettings(
            policy(conf.multiWriteMode(), reader),
            upstream.copyQueueMaxRequests(),
            upstream.copyQueueMaxBytes().toBytes());
    List<String> names =
        IntStream.rangeClosed(1, kinds.size())
            .mapToObj(number -> ProxySettings.DEFAULT_NAME + "-copy-" + number)
            .toList();
    return new TableCopies(names, kinds, settings);
  }

  /** A mode that camellia-redis-proxy does not know is its default. */
  private static ReplyPolicy policy(@Nullable String mode, PropertiesReader reader) {
    return switch (mode == null ? "" : mode.strip().toUpperCase(Locale.ROOT)) {
      case "ALL_RESOURCES_CHECK_ERROR", "3" -> ReplyPolicy.ALL;
      case "ALL_RESOURCES_NO_CHECK", "2" ->
          throw reader.invalid(
              MODE,
              "clients would wait for all resources and not be told of one that has failed",
              "write FIRST_RESOURCE_ONLY, with which clients do not wait for the others, or"
                  + " ALL_RESOURCES_CHECK_ERROR, with which they get -NOCOPIES if one has failed");
      default -> ReplyPolicy.PRIMARY;
    };
  }

  Mirror mirror() {
    return new Mirror(ProxySettings.DEFAULT_NAME, ProxySettings.DEFAULT_NAME, names, settings);
  }

  /**
   * Returns the upstreams.
   *
   * @param primary whose settings they have, apart from its reads
   */
  List<Upstream.Resp> upstreams(Upstream.Resp primary) {
    List<Upstream.Resp> all = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      all.add(
          new Upstream.Resp(
              names.get(i),
              kinds.get(i),
              primary.backend(),
              primary.refresh(),
              ReadSettings.MASTER_ONLY));
    }
    return all;
  }
}
