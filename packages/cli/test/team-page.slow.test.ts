import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { lacks } from '@longhaul/testing/machine';
import { describe, expect, it } from 'vitest';
import { Bench } from './harness.ts';

const PAGE = new URL('../../../docs/team.md', import.meta.url);

/** The block of the page that begins with this fence. */
async function block(fence: string): Promise<string> {
  const page = await readFile(PAGE, 'utf8');
  const [, found] = page.split(`\`\`\`${fence}\n`);
  if (found === undefined) throw new Error(`docs/team.md has no block ${fence}.`);
  return found.slice(0, found.indexOf('```'));
}

/** Runs a program. Undefined: it is not installed. */
function run(program: string, args: readonly string[]): { status: number | null; said: string } | undefined {
  const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return error === undefined ? { status, said: stdout + stderr } : undefined;
}

describe('docs/team.md', () => {
  it('has a unit that systemd accepts', async ({ skip }) => {
    await using bench = await Bench.open();
    const path = join(bench.root, 'longhaul.service');
    const unit = (await block('ini')).replace('/usr/local/bin/longhaul', process.execPath);
    await writeFile(path, unit);
    const checked = run('systemd-analyze', ['verify', '--man=no', path]);
    if (checked === undefined) return lacks('systemd', 'systemd-analyze is not installed', skip);
    expect(checked.said.split('\n').filter((line) => line.includes('longhaul.service'))).toEqual([]);
  });

  it('has rules that Prometheus accepts, for metrics that exist', async ({ skip }) => {
    await using bench = await Bench.open();
    const rules = await block('yaml prometheus');
    const docs = await readFile(new URL('api.md', PAGE), 'utf8');
    for (const [name] of rules.matchAll(/longhaul_\w+/g)) expect(docs).toContain(name);
    const path = join(bench.root, 'rules.yml');
    await writeFile(path, rules);
    const checked = run('promtool', ['check', 'rules', path]);
    if (checked === undefined) return lacks('prometheus', 'promtool is not installed', skip);
    expect([checked.said, checked.status]).toEqual([expect.stringContaining('SUCCESS'), 0]);
  });

  it('has a block that Caddy accepts', async ({ skip }) => {
    await using bench = await Bench.open();
    const path = join(bench.root, 'Caddyfile');
    await writeFile(path, await block('caddy'));
    const checked = run('caddy', ['adapt', '--adapter', 'caddyfile', '--config', path]);
    if (checked === undefined) return lacks('caddy', 'caddy is not installed', skip);
    expect([checked.status, checked.said]).toEqual([0, expect.stringContaining('127.0.0.1:4140')]);
  });

  it('has a block for nginx with which the page, large messages and live events work', async ({ skip }) => {
    if (run('nginx', ['-v']) === undefined) return lacks('nginx', 'nginx is not installed', skip);
    await using bench = await Bench.open();
    const go = Promise.withResolvers<void>();
    const { server: model } = await bench.serve({
      async script() {
        await go.promise;
        return 'All done.';
      },
    });
    const config = (await block('yaml')).replace('/srv/work', `"${bench.workspace}"`);
    await writeFile(
      bench.userFile,
      `${config.replace('driver: bubblewrap', 'driver: local')}model: openai-compatible/scripted
providers: { openai-compatible: { baseUrl: "${model.url}" } }
`,
    );
    const running = bench.start(['serve', '--port', '0', '--json']);
    await running.saw('"listening"');
    const { url, tokenFile } = JSON.parse(running.output().split('\n')[0] ?? '');
    await using proxy = await startNginx(bench, new URL(url).port);
    const token = (await readFile(tokenFile, 'utf8')).trim();
    const call = (method: string, path: string, body?: object) =>
      ask(proxy.socket, { method, path, token, body: body && JSON.stringify(body) });

    const page = await call('GET', '/');
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const [, script = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec(await text(page)) ?? [];
    expect((await call('GET', script)).statusCode).toBe(200);
    const created = await call('POST', '/api/sessions', {});
    expect(created.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
    const { id } = JSON.parse(await text(created));
    // More than nginx takes by default. The server itself says what is wrong with it.
    const large = await call('POST', '/api/import', { padding: 'x'.repeat(5_000_000) });
    expect([large.statusCode, await text(large)]).toEqual([400, expect.stringContaining('invalid_request')]);

    const events = await call('GET', `/api/sessions/${id}/events?after=0`);
    // Also below a prefix.
    await text(await call('POST', `/longhaul/api/sessions/${id}/messages`, { content: 'Go' }));
    let seen = '';
    for await (const chunk of events.setEncoding('utf8')) {
      seen += String(chunk);
      // The model does not answer before an event has arrived here.
      if (seen.includes('run:started')) go.resolve();
      if (seen.includes('run:finished')) break;
    }
    expect(seen).toContain('All done.');
  });
});

/** Starts nginx with the block of the page. It listens on a socket in the folder of the test. */
async function startNginx(bench: Bench, port: string): Promise<{ socket: string } & AsyncDisposable> {
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
  return {
    socket: at('socket'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Also serves the API below a prefix, as the page explains. */
function withPrefix(server: string): string {
  const [place = ''] = /location \/ \{[^}]*\}/.exec(server) ?? [];
  const below = place.replace('location /', 'location /longhaul/').replace(':4140;', ':4140/;');
  return server.replace(place, `${place}\n${below}`);
}

interface Asked {
  method: string;
  path: string;
  token: string;
  body: string | undefined;
}

async function ask(socketPath: string, { method, path, token, body }: Asked): Promise<IncomingMessage> {
  const sent = request({
    socketPath,
    method,
    path,
    rejectUnauthorized: false,
    servername: 'agents.example.com',
    headers: {
      host: 'agents.example.com',
      origin: 'https://agents.example.com',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    },
  });
  sent.end(body);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (response === undefined) throw new Error('There was no response.');
  return response;
}
