package io.penstock.core.resp;

/** The protocol versions of a connection; {@code HELLO} switches. */
public enum Protocol {
  RESP2,
  RESP3
}
