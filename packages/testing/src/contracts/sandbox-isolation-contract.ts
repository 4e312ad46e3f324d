import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import {
  countProcesses,
  openTestSandbox,
  type SandboxContractRunner,
  type SandboxHarness,
  uniqueSeconds,
} from './sandbox-fixtures.ts';

const SECRET = 'LONGHAUL_CONTRACT_SECRET';

export function isolationContract(runner: SandboxContractRunner, harness: SandboxHarness): void {
  const { it } = runner;
  const { notIsolated } = harness;
  const itIsolated: typeof it =
    notIsolated === undefined ? it : (name) => runner.skip(`${name} (skipped: ${notIsolated})`);

  it("passes its own variables and the user's, but none of the host's", async () => {
    process.env[SECRET] = 'hidden';
    try {
      await using box = await openTestSandbox(harness, {
        env: { GREETING: 'hello "you"\n$HOME', LANG: 'C' },
      });
      const { stdout } = await box.run('env; printf %s "$GREETING|$LANG|$TERM|$PAGER"');
      assert.ok(!stdout.includes(SECRET), stdout);
      assert.ok(stdout.endsWith('hello "you"\n$HOME|C|dumb|cat'), stdout);
    } finally {
      delete process.env[SECRET];
    }
  });

  itIsolated("cannot see the host's processes, their environment or arguments", async () => {
    await using box = await openTestSandbox(harness, { env: { MINE: 'visible-inside' } });
    const { stdout } = await box.run('cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr "\\0" "\\n"');
    assert.ok(stdout.includes('visible-inside'));
    for (const foreign of [process.execPath, 'VITEST_WORKER_ID', box.workspace]) {
      assert.ok(!stdout.includes(foreign), `${foreign} is visible`);
    }
  });

  itIsolated("cannot read the host's files", async () => {
    await using box = await openTestSandbox(harness);
    await writeFile(join(box.outside, 'secret'), 'host secret');
    const { stdout } = await box.run(
      `cat ${box.outside}/secret /proc/1/root${box.outside}/secret /etc/shadow /root/.ssh/*; ls -a /root /home /mnt /var; cat /dev/[sv]da | head -c 10`,
    );
    assert.ok(!stdout.includes('host secret') && !/\$y\$|\$6\$|^root:[^x]/m.test(stdout), stdout);
  });

  itIsolated('cannot write outside the workspace', async () => {
    await using box = await openTestSandbox(harness);
    const name = `longhaul-escape-${box.sessionId}`;
    const places = ['/', '/etc', '/usr', '/usr/bin', '/root', '/home', '/var/tmp', box.outside, '/tmp'];
    for (const place of places) await box.run(`mkdir -p ${place}; echo x >${place}/${name}`);
    await box.run(`echo x >../${name}; ln -s ${box.outside} link && echo x >link/${name}`);
    for (const place of [...places, join(box.workspace, '..')]) {
      assert.ok(!existsSync(join(place, name)), `wrote ${place}`);
    }
    assert.deepEqual(readdirSync(box.outside), []);
  });

  itIsolated('gives commands no capability, no kernel setting and no mount', async () => {
    await using box = await openTestSandbox(harness);
    const status = await box.run('grep -E "^(CapEff|CapPrm|NoNewPrivs)" /proc/self/status | tr -d "\\t"');
    assert.equal(status.stdout, 'CapPrm:0000000000000000\nCapEff:0000000000000000\nNoNewPrivs:1\n');
    // Writes the current value back, so that a broken sandbox does no harm.
    const setting = '/proc/sys/kernel/core_pattern';
    assert.notEqual((await box.run(`v=$(cat ${setting}); echo "$v" >${setting}`)).exitCode, 0);
    assert.notEqual((await box.run('mount -o remount,rw,bind /usr || mount -t tmpfs none /mnt')).exitCode, 0);
    assert.notEqual((await box.run('mknod device b 8 0 && cat device')).exitCode, 0);
  });

  itIsolated('reaches no server of this machine with the network off', async () => {
    await using server = await countingServer();
    await using box = await openTestSandbox(harness, { network: 'off' });
    const { exitCode } = await box.run(connectToAny(server.port));
    assert.notEqual(exitCode, 0);
    assert.equal(server.connections(), 0);
    assert.match(box.sandbox.description, /, network off$/);
  });

  it('reaches a server of this machine with the network on', async () => {
    await using server = await countingServer();
    await using box = await openTestSandbox(harness, { network: 'on' });
    const { exitCode, stderr } = await box.run(connectToAny(server.port));
    assert.equal(exitCode, 0, stderr);
    assert.ok(server.connections() > 0);
    assert.match(box.sandbox.description, /, network (?:on|as on this machine)$/);
  });

  itIsolated('limits the number of processes', async () => {
    await using box = await openTestSandbox(harness, { pids: 40 });
    const seconds = uniqueSeconds();
    const refused = Promise.withResolvers<void>();
    const stop = new AbortController();
    const running = box.run(`for i in $(seq 200); do sleep ${seconds} & done; wait`, {
      signal: stop.signal,
      // The shell reports that it cannot fork.
      onOutput: () => refused.resolve(),
    });
    await Promise.race([refused.promise, running]);
    const count = countProcesses(`sleep\0${seconds}`);
    stop.abort();
    await running;
    assert.ok(count > 5 && count <= 40, `${count} processes`);
    assert.equal((await box.run('echo on')).stdout, 'on\n');
  });

  itIsolated('survives a fork bomb', async () => {
    await using box = await openTestSandbox(harness, { pids: 40 });
    const name = `bomb_${box.sessionId.slice(0, 8)}`;
    await writeFile(join(box.workspace, name), `while :; do bash ./${name} & sleep 0.01; done\n`);
    const { ended } = await box.run(`trap '' TERM; . ./${name}`, { timeoutMs: 1_000 });
    assert.equal(ended, 'timeout');
    assert.equal(countProcesses(name), 0);
    assert.equal((await box.run('echo on')).stdout, 'on\n');
  });

  itIsolated('limits memory, and runs the next command', async () => {
    await using box = await openTestSandbox(harness, { memoryMb: 96 });
    const { stdout } = await box.run('x=$(head -c 300000000 /dev/zero | tr "\\0" a); printf %s "$x" | wc -c');
    assert.ok(!stdout.includes('300000000'), stdout);
    assert.equal((await box.run('echo on')).stdout, 'on\n');
  });
}

/** Returns a command that tries all addresses of this machine and succeeds if one answers. */
function connectToAny(port: number): string {
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ family }) => family === 'IPv4')
    .map(({ address }) => address);
  return `for a in ${addresses.join(' ')}; do (exec 3<>/dev/tcp/$a/${port}) && exit 0; done; exit 1`;
}

async function countingServer() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.end();
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return {
    port: address.port,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}
