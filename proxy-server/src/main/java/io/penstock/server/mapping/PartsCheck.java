package io.penstock.server.mapping;

import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.route.CrossSlot;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PropertiesReader;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds keys of an upstream that do not concern it as a part of another one. */
final class PartsCheck {

  private static final Logger LOG = LoggerFactory.getLogger(PartsCheck.class);

  private final PropertiesReader reader;
  private final Map<String, PenstockProperties.Upstream> properties;
  private final List<Upstream.Resp> upstreams;

  /**
   * @param properties of the upstreams, by name
   */
  PartsCheck(
      PropertiesReader reader,
      Map<String, PenstockProperties.Upstream> properties,
      List<Upstream.Resp> upstreams) {
    this.reader = reader;
    this.properties = properties;
    this.upstreams = upstreams;
  }

  /** Warns of settings that the upstream with the parts decides, and that differ there. */
  void warnOfKeysWithoutEffect() {
    for (Upstream.Resp whole : upstreams) {
      for (Upstream.Resp part : upstreams) {
        if (whole.kind().tree().skip(1).anyMatch(part.kind()::equals)
            && reader.hasSettingsOfUpstream(part.name())
            && differs(part, whole)) {
          LOG.warn(
              "backend, topology, reads and cross-slot of upstream {} do not concern it as a part of"
                  + " upstream {}: the settings of {} do",
              part.name(),
              whole.name(),
              whole.name());
        }
      }
    }
  }

  private boolean differs(Upstream.Resp part, Upstream.Resp whole) {
    return part.reads().usesReplicas()
        || !part.backend().equals(whole.backend())
        || !part.refresh().equals(whole.refresh())
        || crossSlot(part) != crossSlot(whole);
  }

  private CrossSlot crossSlot(Upstream upstream) {
    return Objects.requireNonNull(properties.get(upstream.name())).crossSlot();
  }
}
