import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ExecResult, SandboxProcess } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import type { ContractRunner } from './contract-runner.ts';
import {
  countProcesses,
  openTestSandbox,
  refusedWith,
  type SandboxHarness,
  type TestSandbox,
  uniqueSeconds,
  until,
} from './sandbox-fixtures.ts';

const MEGABYTE = 1_048_576;

/** Answers each connection with the text, and says on its output when it listens. */
const SERVER = `node -e 'require("net").createServer((c) => c.end("answer\\n")).listen(8765, "127.0.0.1", () => console.log("listening"))'`;
const CLIENT = 'exec 3<>/dev/tcp/127.0.0.1/8765 && cat <&3';
const WITH_NODE = { programFolders: [dirname(process.execPath)] };

interface Started {
  process: SandboxProcess;
  /** What the command has printed on its standard output. */
  said: () => string;
}

async function startIn(box: TestSandbox, command: string): Promise<Started> {
  let said = '';
  const onOutput = (chunk: Uint8Array, stream: 'stdout' | 'stderr') => {
    if (stream === 'stdout') said += Buffer.from(chunk).toString();
  };
  return { process: await box.sandbox.start(command, { onOutput }), said: () => said };
}

const outcomeOf = ({ ended, exitCode, signal }: ExecResult) => ({ ended, exitCode, signal });

/** Commands that run beside others, with an open standard input. */
export function backgroundContract({ it }: ContractRunner, harness: SandboxHarness): void {
  it('talks with a command line by line and returns its exit code', async () => {
    await using box = await openTestSandbox(harness);
    const { process, said } = await startIn(
      box,
      'while read -r line; do echo "got $line"; done; echo over; exit 3',
    );
    process.write('one\n');
    await until(() => said() === 'got one\n');
    process.write(Buffer.from('two\n'));
    await until(() => said() === 'got one\ngot two\n');
    process.closeInput();
    process.closeInput();
    assert.deepEqual(outcomeOf(await process.ended), { ended: 'exit', exitCode: 3, signal: undefined });
    assert.equal(said(), 'got one\ngot two\nover\n');
    assert.throws(() => process.write('late'), { code: 'invalid_request' });
  });

  it('keeps a command running while others run and end', async () => {
    await using box = await openTestSandbox(harness);
    const { process, said } = await startIn(box, 'while read -r line; do echo "$line"; done');
    for (const word of ['a', 'b']) {
      assert.equal((await box.run(`echo ${word}`)).stdout, `${word}\n`);
      process.write(`${word}\n`);
    }
    await until(() => said() === 'a\nb\n');
    process.closeInput();
    assert.equal((await process.ended).exitCode, 0);
  });

  it('lets later commands reach a server on 127.0.0.1, with the network off', async () => {
    await using box = await openTestSandbox(harness, WITH_NODE);
    const { process, said } = await startIn(box, SERVER);
    await until(() => said() === 'listening\n');
    assert.equal((await box.run(CLIENT)).stdout, 'answer\n');
    const second = await startIn(box, CLIENT);
    await second.process.ended;
    assert.equal(second.said(), 'answer\n');
    assert.deepEqual(outcomeOf(await process.stop()).ended, 'aborted');
    assert.notEqual((await box.run(CLIENT)).exitCode, 0);
  });

  it('lets a command clean up when it is stopped', async () => {
    await using box = await openTestSandbox(harness);
    const { process, said } = await startIn(
      box,
      'trap "echo cleaned; exit 0" TERM; echo begun; while :; do sleep 0.05; done',
    );
    await until(() => said() === 'begun\n');
    const [first, second] = await Promise.all([process.stop(), process.stop()]);
    assert.deepEqual([first, second], [await process.ended, await process.ended]);
    assert.deepEqual([first.ended, said()], ['aborted', 'begun\ncleaned\n']);
  });

  it('kills a command that ignores SIGTERM, with all that it has started', async () => {
    await using box = await openTestSandbox(harness);
    const seconds = uniqueSeconds();
    const { process } = await startIn(
      box,
      `trap '' TERM; setsid sleep ${seconds} & touch begun; while :; do sleep ${seconds}; done`,
    );
    await until(() => existsSync(join(box.workspace, 'begun')) && countProcesses(`sleep\0${seconds}`) >= 2);
    assert.equal((await process.stop()).ended, 'aborted');
    assert.equal(countProcesses(seconds), 0);
  });

  it('kills what a command leaves running when it ends', async () => {
    await using box = await openTestSandbox(harness);
    const seconds = uniqueSeconds();
    const { process } = await startIn(box, `setsid sleep ${seconds} & sleep 0.1; exit 4`);
    assert.equal((await process.ended).exitCode, 4);
    assert.equal(countProcesses(seconds), 0);
  });

  it('kills commands at an abort and when the sandbox is disposed', async () => {
    await using box = await openTestSandbox(harness);
    const seconds = uniqueSeconds();
    const cancel = new AbortController();
    const onOutput = () => undefined;
    const aborted = await box.sandbox.start(`sleep ${seconds}`, { signal: cancel.signal, onOutput });
    const left = await box.sandbox.start(`trap '' TERM; sleep ${seconds}`, { onOutput });
    cancel.abort();
    assert.equal((await aborted.ended).ended, 'aborted');
    const options = { signal: cancel.signal, onOutput };
    await refusedWith(box.sandbox.start('true', options), 'cancelled');
    await box.sandbox[Symbol.asyncDispose]();
    assert.equal((await left.ended).ended, 'aborted');
    assert.equal(countProcesses(seconds), 0);
    assert.deepEqual(await harness.leftovers(box.sessionId), []);
    await refusedWith(box.sandbox.start('true', { onOutput }), 'sandbox_failed');
  });

  it('refuses input beyond 1 MiB that a command does not read', async () => {
    await using box = await openTestSandbox(harness);
    const { process } = await startIn(box, 'sleep 1000');
    const piece = 'x'.repeat(MEGABYTE / 4);
    const fill = () => {
      for (let pieces = 0; pieces < 100; pieces += 1) process.write(piece);
    };
    assert.throws(fill, (error) => {
      assert.ok(error instanceof LonghaulError && error.code === 'invalid_request', String(error));
      return /does not read its input/.test(error.message);
    });
    assert.equal((await process.stop()).ended, 'aborted');
  });

  it('survives input to a command that has closed it', async () => {
    await using box = await openTestSandbox(harness);
    const { process, said } = await startIn(box, 'exec <&-; echo closed; sleep 1; echo lived');
    await until(() => said().startsWith('closed'));
    process.write('nobody reads this\n');
    assert.equal((await process.ended).exitCode, 0);
    assert.equal(said(), 'closed\nlived\n');
  });

  it('records each command, and its end', async () => {
    let records = 0;
    const recordProcess = async () => {
      records += 1;
      return async () => {
        records -= 1;
      };
    };
    await using box = await openTestSandbox(harness, { recordProcess });
    const { process } = await startIn(box, 'cat');
    assert.equal(records, 1);
    await process.stop();
    assert.equal(records, 0);
  });

  it('ends a command and rejects with the error if the output callback throws', async () => {
    await using box = await openTestSandbox(harness);
    const failure = new Error('no room');
    const onOutput = () => {
      throw failure;
    };
    const process = await box.sandbox.start('echo x; sleep 1000', { onOutput });
    await assert.rejects(process.ended, failure);
  });

  it('runs ten commands at once that start together', async () => {
    await using box = await openTestSandbox(harness);
    const numbers = Array.from({ length: 10 }, (_, index) => index);
    const started = await Promise.all(numbers.map((n) => startIn(box, `read -r x; echo "$x ${n}"`)));
    for (const { process } of started) process.write('go\n');
    await Promise.all(started.map(({ process }) => process.ended));
    assert.deepEqual(
      started.map(({ said }) => said()),
      numbers.map((n) => `go ${n}\n`),
    );
  });
}
