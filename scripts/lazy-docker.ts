import type { Plugin } from 'rolldown';

/** What Docker's client loads at its start, by the file that loads it: gRPC for image builds, and SSH. */
const LOADS = {
  '/dockerode/lib/docker.js': { from: "withSession = require('./session')", name: 'withSession' },
  '/docker-modem/lib/modem.js': { from: "ssh = require('./ssh')", name: 'ssh' },
} as const;

/**
 * Lets Docker's client evaluate gRPC and SSH at their first use. They are most of its code. Longhaul builds no images,
 * and an engine is seldom reached through SSH.
 *
 * @throws if this version of the client loads them in another way.
 */
export function lazyDocker(): Plugin {
  return {
    name: 'lazy-docker',
    transform(code, id) {
      const load = Object.entries(LOADS).find(([file]) => id.endsWith(file))?.[1];
      if (load === undefined) return null;
      if (!code.includes(load.from))
        throw new Error(`${id} does not contain \`${load.from}\`. Correct it in lazy-docker.ts.`);
      const path = load.from.slice(load.from.indexOf('require'));
      return code.replace(load.from, () => `${load.name} = (...args) => ${path}(...args)`);
    },
  };
}
