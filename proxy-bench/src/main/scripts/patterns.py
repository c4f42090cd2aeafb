#!/usr/bin/env python3
"""What patterns of many clients cost the nodes, and how long other clients wait meanwhile.

Starts a cluster of 3 masters and 3 replicas (or with --single one server), subscribes --clients clients to --patterns patterns each,
directly or through Penstock, and prints the time of the nodes in PSUBSCRIBE and PUNSUBSCRIBE (INFO commandstats), the time until the
last client is confirmed, the errors of clients, the worst reply to another client (GET and PING in a loop, and a PSUBSCRIBE of one
pattern each second), and how many masters were failed over.

    patterns.py --server redis-server --java java --jar penstock.jar [--direct] [--clients 100] [--patterns 1000] [--set key=value]...
"""
import argparse, os, shutil, socket, subprocess, sys, tempfile, threading, time

P = argparse.ArgumentParser()
P.add_argument('--server', required=True)
P.add_argument('--java', default='java')
P.add_argument('--jar')
P.add_argument('--direct', action='store_true')
P.add_argument('--single', action='store_true')
P.add_argument('--clients', type=int, default=100)
P.add_argument('--patterns', type=int, default=1000)
P.add_argument('--heap', default='512m')
P.add_argument('--port', type=int, default=21100, help='first of 10 ports')
P.add_argument('--most', type=int, default=150, help='seconds')
P.add_argument('--set', action='append', default=[], help='key=value of penstock.')
A = P.parse_args()
folder = tempfile.mkdtemp(prefix='patterns-')
started = []


def request(*words):
    return b'*%d\r\n' % len(words) + b''.join(b'$%d\r\n%s\r\n' % (len(w), w) for w in map(lambda w: str(w).encode(), words))


class Client:
    def __init__(self, port):
        self.socket = socket.create_connection(('127.0.0.1', port), timeout=A.most)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile('rb', buffering=1 << 16)

    def send(self, *words):
        self.socket.sendall(request(*words))

    def read(self):
        line = self.file.readline()
        if not line:
            raise EOFError('closed')
        kind, rest = line[:1], line[1:-2]
        if kind == b'$':
            size = int(rest)
            return None if size < 0 else self.file.read(size + 2)[:-2].decode()
        if kind in b'*>':
            return [self.read() for _ in range(int(rest))]
        return (kind + rest).decode() if kind == b'-' else rest.decode()

    def confirmations(self, count):
        """Reads so many confirmations, or an error, which it returns."""
        mark, last, got = b'$10\r\npsubscribe\r\n', b'', 0
        while got < count:
            data = self.socket.recv(1 << 18)
            if not data:
                raise EOFError('closed')
            if not last and data[:1] == b'-':
                return data.decode().strip()
            data = last + data
            got += data.count(mark)
            last = data[-len(mark) + 1:]
        return 'confirmed'

    def call(self, *words):
        self.send(*words)
        return self.read()

    def close(self):
        self.file.close()
        self.socket.close()


def start(arguments, log):
    process = subprocess.Popen(arguments, stdout=open(os.path.join(folder, log), 'w'), stderr=subprocess.STDOUT)
    started.append(process)
    return process


def wait(what, condition, most=60):
    end = time.time() + most
    while True:
        try:
            if condition():
                return
        except (OSError, EOFError):
            pass
        if time.time() > end:
            raise SystemExit('no ' + what + ', see ' + folder)
        time.sleep(.05)


def ask(port, *words):
    client = Client(port)
    try:
        return client.call(*words)
    finally:
        client.close()


def servers():
    ports = [A.port] if A.single else [A.port + i for i in range(6)]
    for port in ports:
        data = os.path.join(folder, str(port))
        os.mkdir(data)
        cluster = [] if A.single else ['--cluster-enabled', 'yes', '--cluster-port', str(port + 500), '--cluster-node-timeout', '5000']
        start([A.server, '--port', str(port), '--bind', '127.0.0.1', '--save', '', '--dir', data] + cluster, 'server-%d' % port)
    for port in ports:
        wait('server', lambda: ask(port, 'PING') == 'PONG')
    if A.single:
        return ports
    for i in range(3):
        ask(ports[i], 'CLUSTER', 'ADDSLOTSRANGE', i * 5461 + (i > 0), (i + 1) * 5461 if i < 2 else 16383)
    for port in ports[1:]:
        ask(ports[0], 'CLUSTER', 'MEET', '127.0.0.1', port, port + 500)
    wait('cluster', lambda: all('cluster_known_nodes:6' in ask(p, 'CLUSTER', 'INFO') and 'cluster_state:ok' in ask(p, 'CLUSTER', 'INFO') for p in ports))
    for i in range(3):
        wait('replica', lambda: ask(ports[3 + i], 'CLUSTER', 'REPLICATE', ask(ports[i], 'CLUSTER', 'MYID')) == 'OK')
    wait('replicas', lambda: all('master_link_status:up' in ask(p, 'INFO', 'replication') for p in ports[3:]))
    time.sleep(3)
    return ports


def spent(ports):
    sums = {'psubscribe': 0, 'punsubscribe': 0}
    for port in ports:
        for line in ask(port, 'INFO', 'commandstats').split('\r\n'):
            for name in sums:
                if line.startswith('cmdstat_' + name + ':'):
                    sums[name] += int(line.split('usec=')[1].split(',')[0])
    return sums


def cpu():
    """Seconds of the processor that all servers have used; unlike commandstats, without the time that others had the processor."""
    fields = [open('/proc/%d/stat' % p.pid).read().rsplit(')', 1)[1].split() for p in started if A.server in p.args]
    return sum(int(f[11]) + int(f[12]) for f in fields) / os.sysconf('SC_CLK_TCK')


def epoch(ports):
    return 0 if A.single else max(int(line.split(':')[1]) for p in ports for line in ask(p, 'CLUSTER', 'INFO').split('\r\n')
                                  if line.startswith('cluster_current_epoch:'))


class Other(threading.Thread):
    """Another client: the worst reply to each kind of request, and how many were errors."""

    def __init__(self, port, keys):
        super().__init__(daemon=True)
        self.port, self.keys, self.times, self.errors, self.over = port, keys, {}, {}, False

    def run(self):
        client, subscriber, i, at = Client(self.port), Client(self.port), 0, time.time()
        while not self.over:
            i += 1
            self.one(client, 'GET', self.keys[i % len(self.keys)])
            self.one(client, 'PING')
            if time.time() - at > 1:
                at = time.time()
                self.one(subscriber, 'PSUBSCRIBE', 'other%d*' % i)
            time.sleep(.002)

    def one(self, client, *words):
        before = time.time()
        reply = client.call(*words)
        self.times.setdefault(words[0], []).append(time.time() - before)
        if isinstance(reply, str) and reply.startswith('-'):
            self.errors[reply[:90]] = self.errors.get(reply[:90], 0) + 1


def main():
    ports = servers()
    nodes = ports[:1] if A.single else ports[:3]
    if A.direct:
        targets = nodes
    else:
        target = A.port + 9
        resource = ('redis://127.0.0.1:%d' % ports[0]) if A.single else 'redis-cluster://' + ','.join('127.0.0.1:%d' % p for p in ports)
        start([A.java, '-Xmx' + A.heap, '-XX:+UseSerialGC', '-XX:+UseCompactObjectHeaders', '--enable-native-access=ALL-UNNAMED', '--sun-misc-unsafe-memory-access=allow', '-jar', A.jar,
               '--penstock.port=%d' % target, '--penstock.bind=127.0.0.1', '--penstock.transpond.local.resource=' + resource,
               '--management.server.port=%d' % (A.port + 8), '--penstock.event-loops=2'] + ['--penstock.' + s for s in A.set], 'penstock')
        wait('Penstock', lambda: ask(target, 'SET', 'warm', '1') == 'OK')
        for i in range(300):
            ask(target, 'GET', 'k%d' % i)
        targets = [target]
    others = [Other(t, ['warm'] if A.direct else ['k%d' % i for i in range(100)]) for t in targets]
    for other in others:
        other.start()
    time.sleep(2)
    for other in others:
        other.times.clear()
    before, epoch_before, cpu_before = spent(ports), epoch(ports), cpu()
    clients = [Client(targets[i % len(targets)]) for i in range(A.clients)]
    begin, outcome = time.time(), {}
    for i, client in enumerate(clients):
        client.send('PSUBSCRIBE', *['p%04d%06d*' % (i, j) for j in range(A.patterns)])
    for client in clients:
        try:
            name = client.confirmations(A.patterns)
        except (OSError, EOFError) as e:
            name = 'closed' if isinstance(e, EOFError) else str(e)
        outcome[name] = outcome.get(name, 0) + 1
    took = time.time() - begin
    for _ in range(20):
        time.sleep(.5)
        idle = spent(nodes)
        time.sleep(1)
        if sum(spent(nodes).values()) - sum(idle.values()) < 5000:
            break
    after, cpu_after = spent(ports), cpu()
    connections = [sum(' psub=0 ' not in line for line in ask(n, 'CLIENT', 'LIST', 'TYPE', 'pubsub').split('\n') if line) for n in nodes]
    most = [max([int(line.split(' psub=')[1].split(' ')[0]) for line in ask(n, 'CLIENT', 'LIST', 'TYPE', 'pubsub').split('\n') if line] + [0]) for n in nodes]
    for client in clients:
        client.close()
    closing = time.time()
    wait('end of patterns', lambda: sum(int(ask(n, 'PUBSUB', 'NUMPAT')) for n in nodes) < 200, A.most)
    closing = time.time() - closing
    gone = spent(ports)
    print('%d clients x %d patterns, %s, %s' % (A.clients, A.patterns, 'directly' if A.direct else 'through Penstock', 'single server' if A.single else '3 masters'))
    print('  nodes: psubscribe %.2f s, punsubscribe after the close %.2f s; processor until then %.2f s, load average %s' % ((after['psubscribe'] - before['psubscribe']) / 1e6, (gone['punsubscribe'] - after['punsubscribe']) / 1e6, cpu_after - cpu_before, open('/proc/loadavg').read().split()[0]))
    print('  until the last is answered %.1f s, until the nodes have none after the close %.1f s; %s' % (took, closing, outcome))
    print('  connections with patterns %s, most patterns on one %s' % (connections, most))
    for other in others:
        other.over = True
        other.join(30)
        print('  other client, median and worst:', {k: '%.1f and %.0f ms of %d' % (sorted(v)[len(v) // 2] * 1000, max(v) * 1000, len(v)) for k, v in other.times.items()}, 'errors', other.errors)
    print('  cluster epochs begun: %d' % (epoch(ports) - epoch_before))


try:
    main()
finally:
    for process in reversed(started):
        process.terminate()
    for process in started:
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
    if sys.exc_info()[0] is None:
        shutil.rmtree(folder)
    else:
        print(folder)
