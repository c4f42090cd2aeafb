package io.penstock.server.mapping;

import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.crossslot.CrossSlotSettings;
import io.penstock.core.route.CrossSlot;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PropertiesReader;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maps the properties of commands over several slots to the core's settings: what a listener says
 * takes precedence over what its upstream says, and that over the rest of the configuration.
 */
final class CrossSlotMapping {

  private static final Logger LOG = LoggerFactory.getLogger(CrossSlotMapping.class);

  private static final String KEY = "cross-slot";

  private final PropertiesReader reader;
  private final PenstockProperties properties;
  private final Set<String> warned = new HashSet<>();

  CrossSlotMapping(PropertiesReader reader, PenstockProperties properties) {
    this.reader = reader;
    this.properties = properties;
  }

  /**
   * Returns the settings of a listener. Warns of a key without effect.
   *
   * @param prefix what the keys of the listener begin with; empty if it has none of its own
   * @param upstream of the listener
   */
  CrossSlotSettings map(
      PenstockProperties.Listener listener, String prefix, Upstream.Resp upstream) {
    boolean own = !prefix.isEmpty() && reader.isSet(prefix + KEY);
    PenstockProperties.Upstream named = properties.upstreams().get(upstream.name());
    CrossSlot otherwise = named == null ? properties.crossSlot() : named.crossSlot();
    CrossSlot mode = own ? listener.crossSlot() : otherwise;
    if (mode != CrossSlot.REJECT && !upstream.kind().isDivided()) {
      warnOfNoEffect(own ? prefix + KEY : "upstreams." + upstream.name() + "." + KEY, upstream);
    }
    return with(mode);
  }

  /** Returns the settings of a listener over plain TCP, which has no commands. */
  CrossSlotSettings withoutCommands() {
    return with(CrossSlot.REJECT);
  }

  private CrossSlotSettings with(CrossSlot mode) {
    return new CrossSlotSettings(
        mode,
        properties.crossSlotScripts(),
        properties.crossSlotMaxBytes().toBytes(),
        properties.crossSlotMaxKeys(),
        properties.crossSlotPoll());
  }

  /** A default of all upstreams may be meant for others. */
  private void warnOfNoEffect(String key, Upstream upstream) {
    boolean concerns = reader.isSet(key) || !reader.hasNamedUpstreams();
    if (concerns && warned.add(key)) {
      LOG.warn(
          "{} has no effect: all keys of upstream {} are on one server",
          reader.isSet(key) ? reader.written(key) : reader.written(KEY),
          upstream.name());
    }
  }
}
