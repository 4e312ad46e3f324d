import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Script } from '@longhaul/scripted-model';
import { findChromium, lacks } from '@longhaul/testing/machine';
import { chromium } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { Bench } from './harness.ts';
import { block, PAGE, run, startNginx } from './team-proxy.ts';

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
    const { url, token } = await serveAsOnPage(bench, async () => {
      await go.promise;
      return 'All done.';
    });
    await using proxy = await startNginx(bench, new URL(url).port);
    const call = (method: string, path: string, body?: object) =>
      ask(proxy.socket, { method, path, token, body: body && JSON.stringify(body) });

    const page = await call('GET', '/');
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const [, script = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec(await text(page)) ?? [];
    expect((await call('GET', new URL(script, url).pathname)).statusCode).toBe(200);
    const created = await call('POST', '/api/sessions', {});
    expect(created.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
    const { id } = JSON.parse(await text(created));
    // On another port than 443, a browser names the port in both headers.
    const elsewhere = {
      method: 'POST',
      path: '/api/sessions',
      token,
      body: '{}',
      host: 'agents.example.com:8443',
    };
    expect((await ask(proxy.socket, elsewhere)).statusCode).toBe(201);
    // More than nginx takes by default. The server itself says what is wrong with it.
    const large = await call('POST', '/api/import', { padding: 'x'.repeat(5_000_000) });
    expect([large.statusCode, await text(large)]).toEqual([400, expect.stringContaining('invalid_request')]);

    const events = await call('GET', `/api/sessions/${id}/events?after=0`);
    await text(await call('POST', `/api/sessions/${id}/messages`, { content: 'Go' }));
    let seen = '';
    for await (const chunk of events.setEncoding('utf8')) {
      seen += String(chunk);
      // The model does not answer before an event has arrived here.
      if (seen.includes('run:started')) go.resolve();
      if (seen.includes('run:finished')) break;
    }
    expect(seen).toContain('All done.');
  });

  it('has a block for nginx with which the whole page works below a prefix', async ({ skip }) => {
    if (run('nginx', ['-v']) === undefined) return lacks('nginx', 'nginx is not installed', skip);
    const executablePath = await findChromium();
    if (executablePath === undefined) return lacks('chromium', 'no Chromium that runs was found', skip);
    await using bench = await Bench.open();
    const { url, token } = await serveAsOnPage(bench, () => 'All done.');
    await using proxy = await startNginx(bench, new URL(url).port);
    const base = 'https://agents.example.com/longhaul/';
    const args = [
      '--no-sandbox',
      '--ignore-certificate-errors',
      `--host-resolver-rules=MAP agents.example.com:443 127.0.0.1:${proxy.port}`,
    ];
    const browser = await chromium.launch({ executablePath, args });
    try {
      const context = await browser.newContext();
      const page = await context.newPage();
      const asked = new Set<string>();
      const failures: string[] = [];
      context.on('request', (request) => asked.add(request.url().slice(0, base.length)));
      page.on('pageerror', (error) => failures.push(error.message));
      // Without the slash, nginx redirects.
      await page.goto(base.slice(0, -1));
      await page.getByLabel('Token of this server').fill(token);
      await page.getByRole('button', { name: 'Continue' }).click();
      const composer = page.getByLabel('Message', { exact: true });
      await composer.fill('Go');
      await composer.press('Enter');
      await page.getByText('All done.').first().waitFor();
      expect(page.url()).toMatch(/^https:\/\/agents\.example\.com\/longhaul\/#\/session\/[\w-]+$/);

      const models = await ask(proxy.socket, {
        method: 'GET',
        path: '/longhaul/v1/models',
        token,
        body: undefined,
      });
      expect(JSON.parse(await text(models)).data).not.toEqual([]);

      await page.reload();
      await page.getByText('All done.').first().waitFor();
      const second = await context.newPage();
      await second.goto(page.url());
      await second.getByText('All done.').first().waitFor();

      await page
        .getByRole('button', { name: /^Actions for/ })
        .first()
        .click();
      const download = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: 'Export', exact: true }).click();
      expect(await readFile(await (await download).path(), 'utf8')).toContain('All done.');
      expect([failures, [...asked]]).toEqual([[], [base.slice(0, -1), base]]);
    } finally {
      await browser.close();
    }
  });
});

/** Starts a server with the configuration of the page. */
async function serveAsOnPage(bench: Bench, script: Script): Promise<{ url: string; token: string }> {
  const { server: model } = await bench.serve({ script });
  const config = (await block('yaml')).replace('/srv/work', `"${bench.workspace}"`);
  await writeFile(
    bench.userFile,
    `${config.replace('driver: bubblewrap', 'driver: local')}model: openai-compatible/scripted
providers: { openai-compatible: { baseUrl: "${model.url}" } }
approvals: [{ tool: "*", action: allow }]
`,
  );
  const running = bench.start(['serve', '--port', '0', '--json']);
  await running.saw('"listening"');
  const { url, tokenFile } = JSON.parse(running.output().split('\n')[0] ?? '');
  return { url, token: (await readFile(tokenFile, 'utf8')).trim() };
}

interface Asked {
  method: string;
  path: string;
  token: string;
  body: string | undefined;
  host?: string;
}

async function ask(socketPath: string, asked: Asked): Promise<IncomingMessage> {
  const { method, path, token, body, host = 'agents.example.com' } = asked;
  const sent = request({
    socketPath,
    method,
    path,
    rejectUnauthorized: false,
    servername: 'agents.example.com',
    headers: {
      host,
      origin: `https://${host}`,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    },
  });
  sent.end(body);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (response === undefined) throw new Error('There was no response.');
  return response;
}
