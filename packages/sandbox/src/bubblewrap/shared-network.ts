import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { findHostProgram } from '@longhaul/core/host-programs';
import { LonghaulError } from '@longhaul/protocol';
import { markedEnvironment } from '../command/command-mark.ts';
import { type SpawnedProcess, spawnProcess } from '../command/spawn-process.ts';
import { childPid } from './bubblewrap-command.ts';
import { mountPrograms } from './bwrap-arguments.ts';

/** A network without any connection to this machine, in which several commands can reach each other. */
export interface SharedNetwork {
  /**
   * Returns the words before a program that start it in the network. Undefined if no command has needed the network yet
   * and this one does not either: then the command gets a network of its own.
   *
   * @throws {LonghaulError} `sandbox_failed` if the network cannot be made.
   */
  enter(options: { isNeeded: boolean }): Promise<readonly string[] | undefined>;
  close(): Promise<void>;
}

const INFO_FD = 3;

/**
 * Creates a network that exists once a command needs it. A process holds it that runs nothing of the commands: it copies
 * its empty input until that is closed, by us or by our death. Every command has its own sandbox all the same, and
 * shares nothing else with the others.
 */
export function createSharedNetwork(bwrap: string): SharedNetwork {
  let holding: Promise<Holder> | undefined;
  return {
    async enter({ isNeeded }) {
      if (holding === undefined && !isNeeded) return undefined;
      holding ??= hold(bwrap);
      const attempt = holding;
      try {
        const holder = await attempt;
        if (!holder.isOver()) return holder.words;
      } catch (error) {
        if (holding === attempt) holding = undefined;
        throw error;
      }
      // Somebody has killed it. Commands that still run keep the old network.
      if (holding === attempt) holding = undefined;
      return this.enter({ isNeeded: true });
    },
    async close() {
      const holder = await holding?.catch(() => undefined);
      await holder?.end();
    },
  };
}

interface Holder {
  words: readonly string[];
  isOver(): boolean;
  end(): Promise<void>;
}

async function hold(bwrap: string): Promise<Holder> {
  const nsenter = findHostProgram('nsenter');
  if (nsenter === undefined) {
    throw new LonghaulError(
      'sandbox_failed',
      'Background commands without a network need the program nsenter. Install the package util-linux, or set `sandbox.network: on`.',
    );
  }
  const namespaces = ['--unshare-user', '--unshare-net', '--die-with-parent', ...mountPrograms()];
  const args = [...namespaces, '--info-fd', String(INFO_FD), '--', '/bin/cat'];
  const spawned = await spawnProcess(bwrap, args, {
    env: markedEnvironment(),
    keepsInput: true,
    extraPipes: 1,
  });
  const pid = await readPid(spawned);
  let isOver = false;
  spawned.exited.then(() => {
    isOver = true;
  });
  const folder = `/proc/${pid}/ns`;
  return {
    words: [nsenter, '--preserve-credentials', `--user=${folder}/user`, `--net=${folder}/net`, '--'],
    isOver: () => isOver,
    async end() {
      spawned.child.stdin?.end();
      await spawned.exited;
    },
  };
}

/** Waits until the program in the namespaces runs: the network is complete then. */
async function readPid({ child, outputs }: SpawnedProcess): Promise<number> {
  const [input, info] = [child.stdin, child.stdio[INFO_FD]];
  const [answers, complaints] = outputs;
  if (input === null || !(info instanceof Readable) || answers === undefined || complaints === undefined)
    throw new LonghaulError('internal', 'bubblewrap was started without its pipes.');
  input.on('error', () => undefined);
  input.write('ready\n');
  const answer = await answers[Symbol.asyncIterator]().next();
  if (answer.done !== true) return childPid(await text(info));
  let said = '';
  for await (const { data } of complaints) said = (said + Buffer.from(data).toString()).slice(0, 2_000);
  throw new LonghaulError(
    'sandbox_failed',
    `bubblewrap could not make a network for background commands: ${said.trim() || 'it printed nothing'}`,
  );
}
