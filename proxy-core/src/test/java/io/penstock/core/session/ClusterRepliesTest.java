package io.penstock.core.session;

import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.cluster.ClusterFacade;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Expected forms are those of redis-server 7.0.15 with cluster support for the same lines. */
class ClusterRepliesTest {

  private static final Endpoint ONE = new Endpoint("10.0.0.1", 6380);
  private static final Endpoint TWO = new Endpoint("10.0.0.2", 6380);
  private static final List<ClusterFacade.Member> MEMBERS =
      new ClusterFacade(List.of(TWO, ONE), "10.0.0.2", 6380).members(new Endpoint("127.0.0.1", 1));
  private static final String ID_ONE = MEMBERS.get(0).id();
  private static final String ID_TWO = MEMBERS.get(1).id();

  @Nested
  class WithAFacade {

    private final Rig rig =
        new RigOptions().facade(new ClusterFacade(List.of(TWO, ONE), "10.0.0.2", 6380)).start();

    @AfterEach
    void close() {
      rig.close();
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = ';',
        value = {
          "READONLY; +OK",
          "READWRITE; +OK",
          "ASKING; +OK",
          "CLUSTER KEYSLOT foo; :12182",
          "CLUSTER KEYSLOT {foo}bar; :12182",
          "CLUSTER COUNTKEYSINSLOT x; -ERR value is not an integer or out of range",
          "CLUSTER COUNTKEYSINSLOT 99999; -ERR Invalid slot",
          "CLUSTER GETKEYSINSLOT 1 x; -ERR value is not an integer or out of range",
          "CLUSTER GETKEYSINSLOT x 1; -ERR value is not an integer or out of range",
          "CLUSTER GETKEYSINSLOT 1 -5; -ERR Invalid slot or number of keys",
          "CLUSTER GETKEYSINSLOT 99999 5; -ERR Invalid slot or number of keys",
          "CLUSTER LINKS; *0",
          "CLUSTER COUNT-FAILURE-REPORTS foo; -ERR Unknown node foo",
          "CLUSTER REPLICAS foo; -ERR Unknown node foo",
          "CLUSTER FOO; -ERR unknown subcommand 'FOO'. Try CLUSTER HELP.",
          "CLUSTER KEYSLOT; -ERR wrong number of arguments for 'cluster|keyslot' command",
          "CLUSTER ADDSLOTS 1; -ERR CLUSTER ADDSLOTS is not allowed through this proxy: the"
              + " cluster it shows is made by its configuration",
          "CLUSTER RESET; -ERR CLUSTER RESET is not allowed through this proxy: the cluster it"
              + " shows is made by its configuration",
          "SELECT 1; -ERR SELECT is not allowed in cluster mode"
        })
    void commandsAreAnsweredAsInRedis(String line, String reply) {
      rig.client().send(line + "\r\n").expect(reply + "\r\n");
    }

    @Test
    void slotsAreDividedAmongInstances() {
      rig.client()
          .send(call("CLUSTER SLOTS"))
          .expect("*2\r\n*3\r\n:0\r\n:8191\r\n*4\r\n$8\r\n10.0.0.1\r\n:6380\r\n")
          .expect("$40\r\n" + ID_ONE + "\r\n*0\r\n")
          .expect("*3\r\n:8192\r\n:16383\r\n*4\r\n$8\r\n10.0.0.2\r\n:6380\r\n")
          .expect("$40\r\n" + ID_TWO + "\r\n*0\r\n");
    }

    @Test
    void shardsAreInstances() {
      String start = "*4\r\n$5\r\nslots\r\n*2\r\n:0\r\n:8191\r\n$5\r\nnodes\r\n*1\r\n*14\r\n";
      rig.client()
          .send(call("CLUSTER SHARDS"))
          .expect("*2\r\n" + start + "$2\r\nid\r\n$40\r\n" + ID_ONE + "\r\n$4\r\nport\r\n:6380\r\n")
          .expect("$2\r\nip\r\n$8\r\n10.0.0.1\r\n$8\r\nendpoint\r\n$8\r\n10.0.0.1\r\n")
          .expect("$4\r\nrole\r\n$6\r\nmaster\r\n$18\r\nreplication-offset\r\n:0\r\n")
          .expect("$6\r\nhealth\r\n$6\r\nonline\r\n");
    }

    @Test
    void resp3HasMaps() {
      Peer client = rig.client();
      client.send("HELLO 3\r\n");
      client.expect("%7\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n");
      client.expect("$5\r\nproto\r\n:3\r\n$2\r\nid\r\n:1\r\n");
      client.expect("$4\r\nmode\r\n$7\r\ncluster\r\n$4\r\nrole\r\n$6\r\nmaster\r\n");
      client.expect("$7\r\nmodules\r\n*0\r\n");
      client.send(call("CLUSTER SHARDS"));
      client.expect("*2\r\n%2\r\n$5\r\nslots\r\n*2\r\n:0\r\n:8191\r\n$5\r\nnodes\r\n*1\r\n%7\r\n");
    }

    @Test
    void clusterNodesMarksTheInstanceThatAnswers() {
      Peer client = rig.client();
      client.send(call("CLUSTER MYID") + call("CLUSTER NODES"));
      client.expect(Wire.bulk(ID_TWO));

      String text = client.readBulk();

      assertThat(text)
          .contains(ID_ONE + " 10.0.0.1:6380@16380 master - 0 ")
          .containsPattern(
              " 1 connected 0-8191\n" + ID_TWO + " 10.0.0.2:6380@16380 myself,master ");
    }

    @Test
    void theClusterStateIsThatOfTheUpstream() {
      Peer client = rig.client();
      client.send(call("CLUSTER INFO"));
      assertThat(client.readBulk())
          .startsWith(
              "cluster_state:ok\r\ncluster_slots_assigned:16384\r\ncluster_slots_ok:16384\r\n");
    }

    @Test
    void keysOfASlotComeFromItsNode() {
      Peer client = rig.client();
      String count = call("CLUSTER COUNTKEYSINSLOT " + Rig.SLOT_A);
      String keys = call("CLUSTER GETKEYSINSLOT " + Rig.SLOT_A + " 10");
      client.send(set("a", "1") + count + keys);
      rig.accept(1).expect(set("a", "1") + count + keys).send("+OK\r\n:1\r\n*1\r\n$1\r\na\r\n");

      client.expect("+OK\r\n:1\r\n*1\r\n$1\r\na\r\n");
    }

    @Test
    void keysOfASlotAreServedInATransaction() {
      Peer client = rig.client();
      String count = call("CLUSTER COUNTKEYSINSLOT " + Rig.SLOT_A);
      client.send(call("MULTI") + count + call("CLUSTER KEYSLOT foo") + call("EXEC"));
      client.expect("+OK\r\n+QUEUED\r\n+QUEUED\r\n");
      rig.accept(1).expect(count).send(":4\r\n");

      client.expect("*2\r\n:4\r\n:12182\r\n");
    }

    @Test
    void knownNodesHaveNoReplicas() {
      rig.client()
          .send(call("CLUSTER REPLICAS " + ID_ONE) + call("CLUSTER SLAVES " + ID_TWO))
          .expect("*0\r\n*0\r\n")
          .send(call("CLUSTER COUNT-FAILURE-REPORTS " + ID_ONE))
          .expect(":0\r\n");
    }

    @Test
    void helpListsServedCommands() {
      rig.client()
          .send(call("CLUSTER HELP"))
          .expect("*29\r\n+CLUSTER <subcommand> [<arg> [value] [opt] ...]. Subcommands are:\r\n");
    }
  }

  @Nested
  class InFrontOfASingleServer {

    private final Rig rig =
        new RigOptions().single().facade(new ClusterFacade(List.of(), null, 0)).start();

    @AfterEach
    void close() {
      rig.close();
    }

    @Test
    void theInstanceHasTheAddressOfTheConnection() {
      Peer client = rig.client();
      client.send(call("CLUSTER SLOTS"));
      client.expect("*1\r\n*3\r\n:0\r\n:16383\r\n*4\r\n$9\r\n127.0.0.1\r\n:");
    }

    @Test
    void aSingleServerOwnsAllSlots() {
      Peer client = rig.client();
      client.send(call("CLUSTER INFO"));
      assertThat(client.readBulk())
          .startsWith(
              "cluster_state:ok\r\ncluster_slots_assigned:16384\r\ncluster_slots_ok:16384\r\n");
    }

    @Test
    void keysOfASlotAreAnErrorForASingleServer() {
      rig.client()
          .send(call("CLUSTER COUNTKEYSINSLOT 1"))
          .expect("-ERR CLUSTER COUNTKEYSINSLOT is not supported by this proxy: the server behind")
          .expect(" it has no slots\r\n");
    }
  }

  @Nested
  class Without {

    private final Rig rig = Rig.cluster();

    @AfterEach
    void close() {
      rig.close();
    }

    @ParameterizedTest
    @CsvSource({
      "CLUSTER SLOTS",
      "CLUSTER HELP",
      "CLUSTER ADDSLOTS 1",
      "CLUSTER COUNTKEYSINSLOT 1",
      "READONLY",
      "READWRITE",
      "ASKING"
    })
    void clusterSupportIsDisabled(String line) {
      rig.client()
          .send(line + "\r\n")
          .expect("-ERR This instance has cluster support disabled\r\n");
    }
  }
}
