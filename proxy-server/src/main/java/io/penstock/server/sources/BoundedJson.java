package io.penstock.server.sources;

import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads JSON within {@link Bounds}. Safe from any thread. */
public final class BoundedJson {

  /** Size of a file in bytes. */
  public static final int SIZE = Bounds.SIZE;

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(Bounds.DEPTH)
                          .maxTokenCount(2L * Bounds.VALUES) // a value may have a key
                          .maxStringLength(Bounds.SIZE)
                          .build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private BoundedJson() {}

  /** A text that is not JSON, or exceeds a bound. The message contains no part of the text. */
  public static final class InvalidJsonException extends Exception {

    private static final long serialVersionUID = 1L;

    private InvalidJsonException(String reason) {
      super(reason);
    }

    public String reason() {
      return String.valueOf(getMessage());
    }
  }

  /**
   * Returns what a text contains.
   *
   * @throws InvalidJsonException if it is not JSON, has a key twice, or exceeds a bound
   */
  public static JsonNode read(String text) throws InvalidJsonException {
    try {
      return MAPPER.readTree(text);
    } catch (StreamConstraintsException e) {
      throw new InvalidJsonException(
          "it has too much%s: %d levels and %d values are allowed"
              .formatted(place(e), Bounds.DEPTH, Bounds.VALUES));
    } catch (JacksonException e) { // its message may contain a password
      throw new InvalidJsonException("it is not JSON, or has a key twice" + place(e));
    }
  }

  private static String place(JacksonException failure) {
    TokenStreamLocation at = failure.getLocation();
    return at == null || at.getLineNr() < 1
        ? ""
        : ", at line %d, column %d".formatted(at.getLineNr(), at.getColumnNr());
  }
}
