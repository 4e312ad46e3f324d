import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';

/** A package made by `npm pack`. */
export interface PackedPackage {
  name: string;
  version: string;
  /** Path of the tarball. */
  path: string;
  /** Paths in the tarball. */
  files: string[];
  manifest: Record<string, unknown>;
}

export interface TestRegistry extends AsyncDisposable {
  url: string;
}

/** Starts a package registry that serves `packed` and redirects requests for all other packages to `upstream`. */
export async function startRegistry(
  packed: readonly PackedPackage[],
  upstream: string,
): Promise<TestRegistry> {
  const byName = new Map(packed.map((one) => [one.name, one]));
  const byFile = new Map(packed.map((one) => [basename(one.path), one]));
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname).slice(1);
    const tarball = path.startsWith('tarballs/') ? byFile.get(path.slice('tarballs/'.length)) : undefined;
    const found = byName.get(path);
    if (tarball !== undefined) void sendTarball(response, tarball);
    else if (found !== undefined) void sendPackument(response, found, urlOf());
    else response.writeHead(307, { location: new URL(`.${request.url}`, upstream).href }).end();
  });
  const urlOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: urlOf(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function sendTarball(response: ServerResponse, { path }: PackedPackage): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(await readFile(path));
}

async function sendPackument(response: ServerResponse, one: PackedPackage, url: string): Promise<void> {
  const bytes = await readFile(one.path);
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  const dist = { tarball: `${url}tarballs/${basename(one.path)}`, integrity };
  const body = {
    name: one.name,
    'dist-tags': { latest: one.version },
    versions: { [one.version]: { ...one.manifest, dist } },
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
