import { Gauge, type Registry } from 'prom-client';
import type { ServerRole } from '../http/server-role.ts';

/** A server among several with one database. */
export interface NodeGaugesOptions {
  machine: string;
  role: ServerRole;
  /** Sessions of its machine. */
  counts: () => Promise<{ waiting: number; driven: number }>;
}

/** Adds the name of the server, and the sessions of its machine. */
export function addNodeGauges(registry: Registry, { machine, role, counts }: NodeGaugesOptions): void {
  const registers = [registry];
  new Gauge({
    name: 'longhaul_node',
    help: 'The machine and the role of this server.',
    labelNames: ['machine', 'role'],
    registers,
  }).set({ machine, role }, 1);
  new Gauge({
    name: 'longhaul_machine_sessions',
    help: 'Sessions of the machine, on all its servers: those that wait for a place, and those that are driven.',
    labelNames: ['state'],
    registers,
    async collect() {
      // A database that cannot be reached must not hide the other figures.
      const { waiting, driven } = await counts().catch(() => ({ waiting: Number.NaN, driven: Number.NaN }));
      this.set({ state: 'waiting' }, waiting);
      this.set({ state: 'driven' }, driven);
    },
  });
}
