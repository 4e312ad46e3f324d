import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Bench } from './harness.ts';

export const PAGE = new URL('../../../docs/team.md', import.meta.url);

/** The block of the page that begins with this fence. */
export async function block(fence: string): Promise<string> {
  const page = await readFile(PAGE, 'utf8');
  const [, found] = page.split(`\`\`\`${fence}\n`);
  if (found === undefined) throw new Error(`docs/team.md has no block ${fence}.`);
  return found.slice(0, found.indexOf('```'));
}

/** Runs a program. Undefined: it is not installed. */
export function run(
  program: string,
  args: readonly string[],
): { status: number | null; said: string } | undefined {
  const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return error === undefined ? { status, said: stdout + stderr } : undefined;
}

/** Starts nginx with the block of the page. It listens on a socket in the folder of the test. */
export async function startNginx(
  bench: Bench,
  port: string,
): Promise<{ socket: string; port: number } & AsyncDisposable> {
  const at = (name: string) => join(bench.root, 'nginx', name);
  await mkdir(at('temp'), { recursive: true });
  const certificate = ['-keyout', at('key'), '-out', at('pem'), '-subj', '/CN=agents.example.com'];
  expect(run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...certificate])?.status).toBe(0);
  const server = withPrefix(await block('nginx'))
    .replace('listen 443 ssl;', `listen unix:${at('socket')} ssl;`)
    .replace('/etc/ssl/agents.example.com.pem', at('pem'))
    .replace('/etc/ssl/agents.example.com.key', at('key'))
    .replaceAll('127.0.0.1:4140', `127.0.0.1:${port}`);
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  await writeFile(
    at('conf'),
    `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${at('pid')};
error_log stderr notice;
events {}
http {
  access_log off;
  ${temp.map((name) => `${name}_temp_path ${at('temp')};`).join('\n  ')}
  ${server}
}
`,
  );
  const child = spawn('nginx', ['-c', at('conf'), '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  let said = '';
  for await (const chunk of child.stderr.setEncoding('utf8')) {
    said += String(chunk);
    if (said.includes('start worker process ')) break;
  }
  expect(said).toContain('start worker process ');
  // A browser cannot use a socket in a folder.
  const door = createServer((client) => {
    const inner = connect(at('socket'));
    for (const end of [client, inner]) end.on('error', () => [client, inner].map((each) => each.destroy()));
    client.pipe(inner).pipe(client);
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  const { port: doorPort } = door.address() as AddressInfo;
  return {
    socket: at('socket'),
    port: doorPort,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
      door.close();
    },
  };
}

/** Also serves the API below a prefix, as the page explains. */
function withPrefix(server: string): string {
  const [place = ''] = /location \/ \{[^}]*\}/.exec(server) ?? [];
  const below = place.replace('location /', 'location /longhaul/').replace(':4140;', ':4140/;');
  return server.replace(place, `${place}\n${below}`);
}
