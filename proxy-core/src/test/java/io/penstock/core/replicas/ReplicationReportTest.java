package io.penstock.core.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReplicationReportTest {

  private static final String REPLICA =
      """
      # Replication
      role:slave
      master_host:127.0.0.1
      master_port:7000
      master_link_status:up
      master_last_io_seconds_ago:1
      master_sync_in_progress:0
      slave_read_repl_offset:1298
      slave_repl_offset:1234
      slave_priority:100
      slave_read_only:1
      connected_slaves:0
      master_replid:8c4d7b768b26826825ceb20ff4a2c7c54616350b
      master_replid2:0000000000000000000000000000000000000000
      master_repl_offset:1250
      """
          .replace("\n", "\r\n");

  @Test
  void aReplicaTellsItsLinkAndItsOffset() {
    ReplicationReport report = parse(REPLICA);

    assertThat(report.replica()).isTrue();
    assertThat(report.linkUp()).isTrue();
    assertThat(report.offset()).isEqualTo(1_234);
    assertThat(report.history()).isEqualTo("8c4d7b768b26826825ceb20ff4a2c7c54616350b");
  }

  @Test
  void aReplicaThatCopiesAllDataHasNoLink() {
    assertThat(parse(REPLICA.replace("in_progress:0", "in_progress:1")).linkUp()).isFalse();
    assertThat(parse(REPLICA.replace("status:up", "status:down")).linkUp()).isFalse();
  }

  @Test
  void aMasterTellsItsOffset() {
    ReplicationReport report =
        parse("# Replication\r\nrole:master\r\nmaster_replid:x\r\nmaster_repl_offset:99\r\n");

    assertThat(report.replica()).isFalse();
    assertThat(report.linkUp()).isFalse();
    assertThat(report.offset()).isEqualTo(99);
    assertThat(report.history()).isEqualTo("x");
  }

  @Test
  void missingFieldsAreEmpty() {
    ReplicationReport report = parse("# Replication\r\nrole:master\r\n");

    assertThat(report.history()).isEmpty();
    assertThat(report.offset()).isZero();
    assertThat(ReplicationReport.field("# Server\r\navailability_zone:eu-1a", "availability_zone:"))
        .isEqualTo("eu-1a");
  }

  private static ReplicationReport parse(String info) {
    return ReplicationReport.parse(info, null, null, 0);
  }
}
