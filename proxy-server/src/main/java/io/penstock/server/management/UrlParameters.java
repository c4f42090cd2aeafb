package io.penstock.server.management;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The parameters of a request without a body to an endpoint. */
public final class UrlParameters {

  private UrlParameters() {}

  /**
   * Returns the parameters in the URL of the request that this thread handles.
   *
   * @param known their names
   * @throws IllegalArgumentException with the reason, if there is another one, or one twice
   */
  public static Map<String, String> of(Set<String> known) {
    Map<String, String> parameters = new LinkedHashMap<>();
    if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes request) {
      request
          .getRequest()
          .getParameterMap()
          .forEach((name, values) -> {
            if (!known.contains(name)) {
              throw new IllegalArgumentException("no parameter is named " + name);
            }
            if (values.length != 1) {
              throw new IllegalArgumentException(name + " is given twice");
            }
            parameters.put(name, values[0]);
          });
    }
    return parameters;
  }
}
