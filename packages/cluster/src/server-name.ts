import { z } from 'zod';

const shape = z.object({
  machine: z.string(),
  /** Whether it drives sessions. Otherwise it only answers requests. */
  isDriving: z.boolean(),
  /** Of the program. */
  version: z.string(),
  /** Where other servers reach it. Absent: nowhere. */
  address: z.string().optional(),
});

/** What others know of a server. */
export type KnownServer = z.infer<typeof shape>;

/** The name under which pg-boss shows a server to others, as long as it lives. */
export function serverName(server: KnownServer): string {
  return JSON.stringify(server);
}

/** Undefined: it is none of a server. */
export function parseServerName(name: string | null): KnownServer | undefined {
  try {
    return shape.safeParse(JSON.parse(name ?? '')).data;
  } catch {
    return undefined; // It is no JSON.
  }
}
