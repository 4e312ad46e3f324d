import assert from 'node:assert/strict';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContractRunner } from './contract-runner.ts';
import { openTestSandbox, refusedWith, type SandboxHarness, until } from './sandbox-fixtures.ts';

const MEGABYTE = 1_048_576;

export function execContract({ it }: ContractRunner, harness: SandboxHarness): void {
  it('returns the exit code, and separates standard output from standard error', async () => {
    await using box = await openTestSandbox(harness);
    const { stdout, stderr, exitCode, ended, signal } = await box.run('echo out; echo err >&2; exit 3');
    assert.deepEqual(
      { stdout, stderr, exitCode, ended, signal },
      {
        stdout: 'out\n',
        stderr: 'err\n',
        exitCode: 3,
        ended: 'exit',
        signal: undefined,
      },
    );
  });

  it("reports Git's exit code 129 as an exit code, and a death by signal as a signal", async () => {
    await using box = await openTestSandbox(harness);
    assert.equal((await box.run('exit 129')).exitCode, 129);
    const killed = await box.run('kill -9 $$');
    assert.deepEqual([killed.exitCode, killed.signal, killed.ended], [undefined, 'SIGKILL', 'exit']);
    assert.equal(killed.stderr, '');
  });

  it('passes quotes, newlines, dollars and Unicode in a command unchanged', async () => {
    await using box = await openTestSandbox(harness);
    const { stdout } = await box.run(
      `x='a "b" $c'\nprintf '%s|' "$x" "it's" 'ü→' '\\n'\ncat <<'END'\nlast $line\nEND\n`,
    );
    assert.equal(stdout, `a "b" $c|it's|ü→|\\n|last $line\n`);
  });

  it('runs bash where it is installed', async () => {
    await using box = await openTestSandbox(harness);
    assert.match((await box.run('a=(x y); echo $a[1] $BASH')).stdout, /^x\[1\] \//);
  });

  it('passes bytes that are not UTF-8 unchanged', async () => {
    await using box = await openTestSandbox(harness);
    const { bytes } = await box.run("printf '\\377\\376\\000\\001\\200'");
    assert.deepEqual([...bytes], [0xff, 0xfe, 0, 1, 0x80]);
  });

  it('gives an empty standard input, or the given one', async () => {
    await using box = await openTestSandbox(harness);
    assert.equal((await box.run('cat; echo end')).stdout, 'end\n');
    const input = `${'line\n'.repeat(50_000)}last`;
    assert.equal((await box.run('cat', { stdin: input })).stdout, input);
    assert.equal((await box.run('true', { stdin: input })).exitCode, 0);
  });

  it('runs in the workspace or in a folder of it, and nowhere else unless tools may', async () => {
    await using box = await openTestSandbox(harness);
    await mkdir(join(box.workspace, "it's a\nfolder"));
    assert.equal((await box.run('pwd')).stdout, `${box.sandbox.workspacePath}\n`);
    const inner = await box.run('pwd', { cwd: "it's a\nfolder" });
    assert.equal(inner.stdout, `${box.sandbox.workspacePath}/it's a\nfolder\n`);
    if (harness.hasOtherFolders !== true)
      await refusedWith(box.run('pwd', { cwd: '..' }), 'path_outside_workspace');
    else assert.equal((await box.run('pwd', { cwd: box.outside })).stdout, `${box.outside}\n`);
    await refusedWith(box.run('pwd', { cwd: 'absent' }), 'not_found');
  });

  it('keeps files in the workspace, in /tmp and in the home folder for the next command', async () => {
    await using box = await openTestSandbox(harness);
    const name = `longhaul-${box.sessionId}`;
    await box.run(`echo 1 >file; echo 2 >/tmp/${name}; echo 3 >"$HOME/${name}"`);
    const { stdout } = await box.run(
      `cat file /tmp/${name} "$HOME/${name}"; rm /tmp/${name} "$HOME/${name}"`,
    );
    assert.equal(stdout, '1\n2\n3\n');
    assert.equal(await readFile(join(box.workspace, 'file'), 'utf8'), '1\n');
  });

  it('creates files that belong to the caller', async () => {
    await using box = await openTestSandbox(harness);
    await box.run('echo x >made; mkdir folder');
    const made = await stat(join(box.workspace, 'made'));
    assert.deepEqual([made.uid, made.gid], [process.getuid?.(), process.getgid?.()]);
  });

  it('passes 200 MB of output in bounded memory', async () => {
    await using box = await openTestSandbox(harness);
    const before = process.memoryUsage().rss;
    let bytes = 0;
    let peak = 0;
    const { exitCode } = await box.run(`head -c ${200 * MEGABYTE} /dev/zero`, {
      onOutput: (chunk) => {
        bytes += chunk.byteLength;
        peak = Math.max(peak, process.memoryUsage().rss);
      },
    });
    assert.deepEqual([exitCode, bytes], [0, 200 * MEGABYTE]);
    assert.ok(peak - before < 120 * MEGABYTE, `memory grew by ${peak - before} bytes`);
  });

  it('blocks a command while its output is not read', async () => {
    await using box = await openTestSandbox(harness);
    const release = Promise.withResolvers<void>();
    const blocksTo = (file: string) =>
      `for i in $(seq 300); do head -c 100000 /dev/zero; echo $i >${file}; done`;
    const running = box.run(blocksTo('progress'), { onOutput: () => release.promise });
    const progress = async () =>
      Number(await readFile(join(box.workspace, 'progress'), 'utf8').catch(() => '0'));
    await until(async () => (await progress()) > 0);
    // The same command can end in this time if its output is read.
    assert.equal((await box.run(blocksTo('other'))).exitCode, 0);
    assert.ok((await progress()) < 150, `wrote block ${await progress()} of 300`);
    release.resolve();
    assert.equal((await running).exitCode, 0);
    assert.equal(await progress(), 300);
  });

  it('ends the command and throws the error if the output callback throws', async () => {
    await using box = await openTestSandbox(harness);
    const failure = new Error('no room');
    const running = box.run('echo x; sleep 1000', {
      onOutput: () => {
        throw failure;
      },
    });
    await assert.rejects(running, failure);
  });

  it('loses no output of commands that end at once, although Node discards unread output', async () => {
    await using box = await openTestSandbox(harness);
    for (let round = 0; round < 20; round += 1) {
      const { stdout, stderr } = await box.run('echo out; echo err >&2');
      assert.deepEqual([stdout, stderr], ['out\n', 'err\n']);
    }
  });

  it('runs twenty commands at once, each with its own output', async () => {
    await using box = await openTestSandbox(harness);
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    const results = await Promise.all(numbers.map((n) => box.run(`sleep 0.${n}; echo ${n}; exit ${n}`)));
    assert.deepEqual(
      results.map(({ stdout, exitCode }) => [stdout, exitCode]),
      numbers.map((n) => [`${n}\n`, n]),
    );
  });

  it('refuses a command longer than the system accepts, and says what to do', async () => {
    await using box = await openTestSandbox(harness);
    const { message } = await refusedWith(box.run(`: ${'x'.repeat(200_000)}`), 'invalid_request');
    assert.match(message, /file/);
    assert.equal((await box.run(`: ${'x'.repeat(120_000)}`)).exitCode, 0);
  });
}
