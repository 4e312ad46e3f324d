import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Defect, defect } from '../checks/defect.ts';
import { isStopped } from '../drive/is-stopped.ts';
import type { ClusterNode, NodeCluster } from './node-cluster.ts';
import { ARM_SIGNAL, type NodeFault, nodeFaults } from './node-faults.ts';
import type { Strike, StrikeKind } from './take-overs.ts';

export interface SlotsOptions {
  cluster: NodeCluster;
  /** Numbers from 0 to 1. */
  random: () => number;
  /** Takes a kill from those that are left. False: there is none. */
  takeKill: () => boolean;
  /** Whether there is one. */
  hasKill: () => boolean;
  onEvent: (line: string) => void;
}

/** How long a server lives before something happens to it. */
const LIFE_MS = { least: 1_000, most: 9_000 };
/** The share of kills that strike the database. */
const OF_DATABASE = 0.08;
/** The share of servers that strike themselves at a fault point. */
const OF_FAULTS = 0.5;
/** A server that has not reached its fault point in this time is treated as the others. */
const ARMED_MS = 20_000;
/** The database may be down for some starts in a row. */
const MAX_FAILURES = 20;
/** Longer than a lease. */
const SUSPENDED_MS = 18_000;

/** Keeps servers running that are killed, stopped and suspended, until no kill is left. */
export class NodeSlots {
  readonly defects: Defect[] = [];
  readonly strikes: Strike[] = [];
  readonly #options: SlotsOptions;
  readonly #living = new Set<ClusterNode>();
  readonly #faults: Iterator<NodeFault, never>;
  readonly #struck = new Set<string>();
  #database = Promise.resolve();

  constructor(options: SlotsOptions) {
    this.#options = options;
    this.#faults = nodeFaults(options.random);
  }

  /** Fault points at which servers were killed, and those at which they were suspended. */
  get struckCount(): number {
    return this.#struck.size;
  }

  /** A server that answers requests, or did so a moment ago. */
  any(): ClusterNode | undefined {
    const living = [...this.#living];
    return living[Math.floor(this.#options.random() * living.length)];
  }

  /** Works in one slot. When it resolves, a server runs there, which is left alone. */
  async work(): Promise<void> {
    const { cluster, random, takeKill, hasKill } = this.#options;
    let failures = 0;
    for (;;) {
      const fault = hasKill() && random() < OF_FAULTS ? this.#faults.next().value : undefined;
      const node = await cluster.start(fault);
      if (node === undefined) {
        failures += 1;
        if (failures > MAX_FAILURES) throw new Error('Servers of this cluster do not start.');
        await sleep(500);
        continue;
      }
      failures = 0;
      this.#living.add(node);
      void node.ended.then(() => this.#onEnd(node));
      if (fault !== undefined && (await this.#strikesItself(node, fault))) continue;
      let isStruck = false;
      while (!isStruck) {
        await sleep(LIFE_MS.least + random() * (LIFE_MS.most - LIFE_MS.least));
        if (!takeKill()) return;
        isStruck = random() > OF_DATABASE;
        await (isStruck ? this.#strike(node) : this.#killDatabase());
      }
    }
  }

  #onEnd(node: ClusterNode): void {
    const { exitCode, signalCode } = node.process;
    const isExpected = !this.#living.delete(node) || signalCode === 'SIGKILL';
    if (!isExpected)
      this.defects.push(
        defect('corruption', `a server ended by itself: ${signalCode ?? exitCode}\n${node.errors()}`),
      );
  }

  /** Waits until a server reaches its fault. Returns whether it has. */
  async #strikesItself(node: ClusterNode, fault: NodeFault): Promise<boolean> {
    const { takeKill, onEvent } = this.#options;
    const until = performance.now() + ARMED_MS;
    const isReached = () => hasEnded(node.process) || isStopped(node.process.pid);
    while (performance.now() < until && !isReached()) await sleep(100);
    if (!isReached()) {
      node.process.kill(ARM_SIGNAL);
      return false;
    }
    this.#note(fault.isFrozen ? 'suspended' : 'killed', node);
    this.#struck.add(`${fault.point}${fault.isFrozen ? ' frozen' : ''}`);
    takeKill();
    onEvent(`a server is ${fault.isFrozen ? 'suspended' : 'killed'} at ${fault.point}`);
    this.#living.delete(node);
    if (!hasEnded(node.process)) await this.#wakeAndKill(node);
    await node.ended;
    return true;
  }

  #note(kind: StrikeKind, { process: { pid } }: ClusterNode): void {
    if (pid !== undefined) this.strikes.push({ kind, pid, at: Date.now() });
  }

  /** As a power failure would. Kills of two slots follow each other. */
  async #killDatabase(): Promise<void> {
    const { cluster, onEvent } = this.#options;
    this.#database = this.#database.then(async () => {
      onEvent('the database is killed');
      await cluster.database.kill();
      await cluster.database.start();
    });
    await this.#database;
  }

  async #strike(node: ClusterNode): Promise<void> {
    const { random, onEvent } = this.#options;
    const choice = random();
    this.#living.delete(node);
    if (choice < 0.1) {
      this.#note('stopped', node);
      onEvent('a server is stopped');
      node.process.kill('SIGTERM');
      // Its fault may have suspended it a moment ago.
      node.process.kill('SIGCONT');
    } else if (choice < 0.2) {
      this.#note('suspended', node);
      onEvent('a server is suspended, and killed after that');
      node.process.kill('SIGSTOP');
      await this.#wakeAndKill(node);
    } else {
      this.#note('killed', node);
      onEvent('a server is killed');
      node.process.kill('SIGKILL');
    }
    await node.ended;
  }

  /** Lets a suspended server find out that its sessions have another one. */
  async #wakeAndKill({ process }: ClusterNode): Promise<void> {
    await sleep(SUSPENDED_MS);
    process.kill('SIGCONT');
    await sleep(this.#options.random() * 1_000);
    process.kill('SIGKILL');
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
