package io.penstock.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

class InsideTest {

  @Test
  void liveDataIsThatOfAllGenerations() {
    String serial =
        """
        44051:
         DefNew     total 14784K, used 1024K [0x00, 0x01, 0x01)
          eden space 13184K,   7% used [0x00, 0x01, 0x01)
         Tenured    total 49152K, used 23296K [0x00, 0x01, 0x01)
         Metaspace       used 51200K, committed 52000K, reserved 1114112K
        """;
    String g1 =
        """
        44051:
         garbage-first heap   total reserved 512K, committed 256K, used 200K [0x00, 0x01)
          region size 1024K, 2 young (2048K), 0 survivors (0K)
        """;

    assertThat(Inside.sum(Inside.HEAP, serial)).isEqualTo(24_320);
    assertThat(Inside.sum(Inside.HEAP, g1)).isEqualTo(200);
  }

  @Test
  void metricsAreSummedOverTheirLabels() {
    String metrics =
        """
        # HELP netty_allocator_memory_used Memory
        netty_allocator_memory_used{allocator_type="Adaptive",id="1",memory_type="direct"} 1024.0
        netty_allocator_memory_used{allocator_type="Adaptive",id="1",memory_type="heap"} 7.0
        netty_allocator_memory_used{allocator_type="Pooled",id="2",memory_type="direct"} 2048.0
        penstock_commands_total{command="get"} 1.5E7
        penstock_commands_total{command="set"} 5.0
        """;

    assertThat(Inside.sum(Inside.DIRECT_MEMORY, metrics)).isEqualTo(3_072);
    assertThat(Inside.sum(Inside.COMMANDS, metrics)).isEqualTo(15_000_005);
  }

  @Test
  void whatIsMissingIsAnError() {
    assertThatExceptionOfType(LoadFailure.class)
        .isThrownBy(() -> Inside.sum(Inside.HEAP, "no such process"))
        .withMessageContaining("no such process");
  }
}
