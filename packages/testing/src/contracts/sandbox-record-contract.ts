import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessPlace, RecordProcess } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import type { ContractRunner } from './contract-runner.ts';
import {
  countProcesses,
  openTestSandbox,
  refusedWith,
  type SandboxHarness,
  uniqueSeconds,
  until,
} from './sandbox-fixtures.ts';

/** Keeps the records of commands in memory. */
function createRecords() {
  const started: { command: string; place: ProcessPlace }[] = [];
  let ended = 0;
  const recordProcess: RecordProcess = async (command, place) => {
    started.push({ command, place });
    return async () => {
      ended += 1;
    };
  };
  return { started, ended: () => ended, recordProcess };
}

export function recordContract({ it }: ContractRunner, harness: SandboxHarness): void {
  const { driver } = harness;

  it('records each command before it starts, and its end', async () => {
    const records = createRecords();
    await using box = await openTestSandbox(harness, { recordProcess: records.recordProcess });
    assert.equal((await box.run('echo one')).stdout, 'one\n');
    await box.run('exit 3');
    assert.deepEqual(
      records.started.map(({ command }) => command),
      ['echo one', 'exit 3'],
    );
    assert.equal(new Set(records.started.map(({ place }) => place.mark)).size, 2);
    assert.equal(records.ended(), 2);
  });

  it('does not run a command that cannot be recorded', async () => {
    const recordProcess = () =>
      Promise.reject(new LonghaulError('lease_lost', 'Another run has the session.'));
    await using box = await openTestSandbox(harness, { recordProcess });
    await refusedWith(box.run('touch ran'), 'lease_lost');
    assert.equal(existsSync(join(box.workspace, 'ran')), false);
  });

  it('does not run a command that was ended while it was recorded', async () => {
    let isEnded = false;
    const recordProcess: RecordProcess = async (_command, place) => {
      if (isEnded) throw new LonghaulError('lease_lost', 'Another run has the session.');
      isEnded = true;
      assert.deepEqual(await driver.end(place), { ended: 'killed' });
      return async () => undefined;
    };
    await using box = await openTestSandbox(harness, { recordProcess });
    // A command that was killed before it ran is a result or an error, depending on the driver.
    await box
      .run('touch ran')
      .catch((error: unknown) => assert.ok(error instanceof LonghaulError, `${error}`));
    assert.equal(existsSync(join(box.workspace, 'ran')), false);
  });

  it('ends a running command by its record, with processes that have left its session', async () => {
    const records = createRecords();
    await using box = await openTestSandbox(harness, { recordProcess: records.recordProcess });
    const seconds = uniqueSeconds();
    const running = box
      .run(
        `setsid sleep ${seconds} & (setsid sh -c 'sleep ${seconds} & exit' &); touch begun; sleep ${seconds}`,
      )
      .catch((error: unknown) => error);
    await until(() => existsSync(join(box.workspace, 'begun')) && countProcesses(`sleep\0${seconds}`) >= 3);
    const place = records.started[0]?.place;
    assert.ok(place !== undefined);
    assert.deepEqual(await driver.end(place), { ended: 'killed' });
    assert.equal(countProcesses(seconds), 0);
    await running;
    assert.deepEqual(await driver.end(place), { ended: 'gone' });
  });

  it('reports that a command of an earlier boot is gone, and that one of another machine is unknown', async () => {
    const records = createRecords();
    await using box = await openTestSandbox(harness, { recordProcess: records.recordProcess });
    await box.run('true');
    const place = { ...records.started[0]?.place, container: 'longhaul-absent' } as ProcessPlace;
    assert.deepEqual(await driver.end({ ...place, bootId: 'earlier' }), { ended: 'gone' });
    const far = await driver.end({ ...place, host: 'elsewhere' });
    assert.ok(far.ended === 'unknown' && far.reason.includes('elsewhere'), JSON.stringify(far));
  });
}
