import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chown, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import { expect, it } from 'vitest';
import { confineProgram } from '../src/bubblewrap/confine-program.ts';
import { findGaps } from '../src/bubblewrap/probe-bubblewrap.ts';
import { refusedCalls, seccompFilter } from '../src/bubblewrap/seccomp-filter.ts';
import { createSandboxDriver } from '../src/index.ts';
import { describeKind, makeWorkspace, run } from './support.ts';

const NOBODY = 65_534;
const CLONE_NEWUSER = 0x1000_0000;

/** Prints the error of each system call that is given as a name and a list of arguments. */
function callsScript(calls: readonly [name: string, ...values: (number | string)[]][]): string {
  const lines = calls.map(
    ([name, ...values]) => `$! = 0; syscall(${values.join(', ')}); print "${name}: ", $! + 0, "\\n";`,
  );
  return `cat >calls.pl <<'END'\n${lines.join('\n')}\nEND\nperl calls.pl`;
}

/**
 * Creates a user namespace with a mount and a cgroup namespace, mounts the cgroup of either version, removes the memory
 * limit, and fills more memory than the limit allows.
 */
const LIFT_MEMORY_LIMIT = `cat >attack.pl <<'END'
$| = 1;
syscall(272, 0x10000000 | 0x20000 | 0x02000000) == 0 or print "no namespace: $!\\n";
mkdir "/tmp/cgroup";
for my $kind (["cgroup", "memory", "memory.limit_in_bytes", "-1"], ["cgroup2", "", "memory.max", "max"]) {
  my ($type, $data, $file, $value) = @$kind;
  my ($none, $at) = ("none", "/tmp/cgroup");
  syscall(165, $none, $at, $type, 0, $data) == 0 or next;
  open(my $limit, ">", "$at/$file") and print $limit $value;
}
my $bytes = 400 * 1024 * 1024;
my $filled = "a" x ($bytes + $$ * 0);
print "filled ", length($filled), "\\n";
END
perl attack.pl`;

await describeKind('bubblewrap', () => {
  const driver = createSandboxDriver('bubblewrap');
  const hasFilter = seccompFilter() !== undefined;

  it('keeps the memory limit when a command tries to lift it from its own namespace', async ({ skip }) => {
    if (process.arch !== 'x64') skip('the attack uses numbers of system calls of x86_64');
    await using folders = await makeWorkspace();
    await using sandbox = await driver.open(folders.options({ memoryMb: 100 }));
    const { output } = await run(sandbox, LIFT_MEMORY_LIMIT);
    expect(output).toContain('no namespace: Operation not permitted');
    expect(output).not.toContain('filled');
    expect((await run(sandbox, 'echo on')).output).toBe('on\n');
  });

  it('keeps the memory limit for a user other than root', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can start a process of another user');
    if (process.arch !== 'x64') skip('the attack uses numbers of system calls of x86_64');
    await using folders = await makeWorkspace();
    await chown(folders.workspace, NOBODY, NOBODY);
    const script = fileURLToPath(new URL('open-and-wait.ts', import.meta.url));
    const args = [...FROM_SOURCE, script, 'bubblewrap', '', folders.workspace, 'session'];
    const child = spawn(process.execPath, [...args, `id -u; ${LIFT_MEMORY_LIMIT}`], {
      env: { PATH: process.env['PATH'], MEMORY_MB: '100' },
      stdio: ['ignore', 'pipe', 'inherit'],
      uid: NOBODY,
      gid: NOBODY,
    });
    const output = await text(child.stdout);
    expect(output).toMatch(new RegExp(`^${NOBODY}\n`));
    expect(output).toContain('no namespace: Operation not permitted');
    expect(output).not.toContain('filled');
  });

  it('refuses every system call of the filter', async ({ skip }) => {
    if (!hasFilter || (process.arch !== 'x64' && process.arch !== 'arm64'))
      return skip(`there is no filter for ${process.arch}`);
    await using folders = await makeWorkspace();
    await using sandbox = await driver.open(folders.options());
    const calls = refusedCalls(process.arch);
    const { output } = await run(
      sandbox,
      callsScript(calls.map(([name, number]) => [name, number, 0, 0, 0, 0, 0])),
    );
    expect(output).toBe(calls.map(([name]) => `${name}: 1\n`).join(''));
  });

  it('refuses namespaces, terminal input and virtual sockets by the arguments of a call', async ({
    skip,
  }) => {
    if (process.arch !== 'x64') skip('the test uses numbers of system calls of x86_64');
    await using folders = await makeWorkspace();
    await using sandbox = await driver.open(folders.options({ network: 'on' }));
    const namespaces = [
      0x2_0000,
      0x200_0000,
      0x400_0000,
      0x800_0000,
      CLONE_NEWUSER,
      0x2000_0000,
      0x4000_0000,
    ];
    const { output } = await run(
      sandbox,
      callsScript([
        // 17 is SIGCHLD. The filter refuses the call before a child exists.
        ...namespaces.map((flag): [string, number, number] => [`clone ${flag}`, 56, flag + 17]),
        ['clone3', 435, 0, 0],
        ['TIOCSTI', 16, 0, 0x5412, 0],
        ['TIOCLINUX', 16, 0, 0x541c, 0],
        // The kernel ignores the upper half of an ioctl's number.
        ['TIOCSTI with high bits', 16, 0, '(0x5412 | (1 << 32))', 0],
        ['AF_VSOCK', 41, 40, 1, 0],
        ['x32 unshare', 0x4000_0000 + 272, CLONE_NEWUSER],
      ]),
    );
    const refused = namespaces.map((flag) => `clone ${flag}: 1\n`).join('');
    const others =
      'clone3: 38\nTIOCSTI: 1\nTIOCLINUX: 1\nTIOCSTI with high bits: 1\nAF_VSOCK: 1\nx32 unshare: 38\n';
    expect(output).toBe(refused + others);
  });

  it('traces its own processes and no other', async ({ skip }) => {
    if (process.arch !== 'x64') skip('the test uses numbers of system calls of x86_64');
    await using folders = await makeWorkspace();
    await using sandbox = await driver.open(folders.options());
    const attach = (pid: string) => `$! = 0; syscall(101, 16, ${pid}, 0, 0); print $! + 0, "\\n";`;
    const script = `my $child = fork // die; if (!$child) { sleep 60; exit } ${attach('$child')} kill 9, $child; ${attach(String(process.pid))}`;
    // 3 is ESRCH: the process does not exist in the pid namespace of the command.
    expect((await run(sandbox, `perl -e '${script}'`)).output).toBe('0\n3\n');
  });

  it('keeps commands with a network from the abstract sockets of this machine', async ({ skip }) => {
    const probe = await driver.probe();
    const gap = probe.available ? probe.gaps?.find((text) => text.includes('abstract')) : undefined;
    if (gap !== undefined) skip(gap);
    const name = `\0longhaul-attack-${randomUUID()}`;
    let connections = 0;
    const listener = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(name);
    await once(listener, 'listening');
    await using folders = await makeWorkspace();
    const programFolders = [process.execPath.replace(/\/node$/, '')];
    await using sandbox = await driver.open(folders.options({ programFolders, network: 'on' }));
    const connect = `
      const { connect, createServer } = require('net');
      const attempt = (name, next) => connect(name).on('connect', function () { this.destroy(); next('connected'); }).on('error', (error) => next(error.code));
      attempt(${JSON.stringify(name)}, (outside) => {
        const own = createServer().listen('\\0own', () => attempt('\\0own', (inside) => { console.log(outside, inside); own.close(); }));
      });`;
    await writeFile(join(folders.workspace, 'attack.js'), connect);
    const { output } = await run(sandbox, 'node attack.js; test -e /proc/self/fd/8 || echo closed');
    listener.close();
    expect(output).toBe('EPERM connected\nclosed\n');
    expect(connections).toBe(0);
  });

  it('gives commands no /sys, where cgroups and devices could be changed', async () => {
    await using folders = await makeWorkspace();
    await using sandbox = await driver.open(folders.options());
    expect((await run(sandbox, 'ls -d /sys /sys/fs/cgroup 2>/dev/null')).output).toBe('');
    expect((await run(sandbox, 'grep -c cgroup /proc/self/mounts')).output).toBe('0\n');
  });

  it('runs threads, child processes, Git and tar as before', async () => {
    await using folders = await makeWorkspace();
    const programFolders = [process.execPath.replace(/\/node$/, '')];
    await using sandbox = await driver.open(folders.options({ programFolders }));
    const threads = `const { Worker } = require("worker_threads"); const { execFileSync } = require("child_process");
      new Worker("require('worker_threads').parentPort.postMessage('thread')", { eval: true })
        .once("message", (text) => console.log(text, String(execFileSync("echo", ["child"])).trim()));`;
    expect((await run(sandbox, `node -e '${threads.replaceAll("'", `'\\''`)}'`)).output).toBe(
      'thread child\n',
    );
    const archive = 'echo text >file && tar cf a.tar file && rm file && tar xf a.tar && cat file';
    expect((await run(sandbox, archive)).output).toBe('text\n');
  });
});

it('has a filter for x86_64 and aarch64, and none for other processors', () => {
  expect(seccompFilter('x64')?.length).toBeGreaterThan(0);
  expect(seccompFilter('arm64')?.length).toBeGreaterThan(0);
  expect(seccompFilter('riscv64')).toBeUndefined();
  // An instruction has 8 bytes, and the kernel accepts 4,096 of them.
  for (const arch of ['x64', 'arm64']) expect((seccompFilter(arch)?.length ?? 1) % 8).toBe(0);
});

it('confines commands on Linux 6.12 and newer, on x86_64', () => {
  expect(confineProgram('x64', '6.12.0-generic')?.subarray(0, 4).toString('latin1')).toBe('\x7fELF');
  expect(confineProgram('x64', '7.0.1')?.length).toBeGreaterThan(120);
  expect(confineProgram('x64', '6.11.9')).toBeUndefined();
  expect(confineProgram('arm64', '6.12.0')).toBeUndefined();
});

it('reports abstract sockets as a gap if the kernel cannot keep commands from them', async () => {
  const gaps = await findGaps({ isolation: ['--disable-userns'], confine: undefined });
  expect(gaps.join()).toContain('abstract Unix sockets of this machine');
});

it('reports limits and protections that the Docker engine does not enforce', async () => {
  const { gapsOf } = await import('../src/docker/engine.ts');
  const whole = { SecurityOptions: ['name=seccomp,profile=builtin'], MemoryLimit: true, PidsLimit: true };
  expect(gapsOf(whole)).toEqual([]);
  expect(gapsOf({ ...whole, SecurityOptions: ['name=seccomp,profile=unconfined'] })).toHaveLength(1);
  expect(gapsOf({ ...whole, MemoryLimit: false, PidsLimit: false })).toEqual([
    '`memoryMb` is not limited',
    '`pids` is not limited',
  ]);
});
