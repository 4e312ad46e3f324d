import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LonghaulError } from '@longhaul/protocol';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startScriptedModelProcess } from './index.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-scripted-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function moduleOf(source: string): Promise<URL> {
  const path = join(folder, `${crypto.randomUUID()}.mjs`);
  await writeFile(path, source);
  return pathToFileURL(path);
}

it('plays the script of a module in its own process, and exits after close', async () => {
  const scriptModule = await moduleOf(
    'export const script = ({ messages }) => messages.length + " message";',
  );
  const server = await startScriptedModelProcess({ scriptModule, windowTokens: 100, model: 'small' });
  expect(server.pid).not.toBe(process.pid);
  const client = new OpenAI({ baseURL: server.url, apiKey: 'any', maxRetries: 0 });
  const send = (content: string) =>
    client.chat.completions.create({ model: 'small', messages: [{ role: 'user', content }] });

  expect((await send('Hello')).choices[0]?.message.content).toBe('1 message');
  await expect(send('word '.repeat(200))).rejects.toMatchObject({ code: 'context_length_exceeded' });
  expect(await server.stats()).toEqual({
    requests: 2,
    overflows: 1,
    promptTokens: 8,
    cachedTokens: 0,
    completionTokens: 2,
  });

  await Promise.all([server.close(), server.close()]);
  expect(() => process.kill(server.pid, 0)).toThrow();
  await expect(server.stats()).rejects.toThrow('has ended');
});

it.each([
  ['throws', 'throw new Error("no such luck")', 'no such luck'],
  ['exports no script', 'export const other = 1', 'exports no function named "script"'],
])('reports a module that %s', async (_name, source, message) => {
  const starting = startScriptedModelProcess({ scriptModule: await moduleOf(source) });
  await expect(starting).rejects.toThrow(message);
  await expect(starting).rejects.toBeInstanceOf(LonghaulError);
});

it('exits when its parent is killed', async () => {
  const scriptModule = await moduleOf('export const script = () => "ok";');
  const parent = await moduleOf(`
    import { startScriptedModelProcess } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
    const server = await startScriptedModelProcess({ scriptModule: ${JSON.stringify(scriptModule.href)} });
    console.log(server.pid);
  `);
  const child = spawn(process.execPath, ['--conditions=longhaul-src', parent.pathname], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  const pid = Number(String(line));
  expect(() => process.kill(pid, 0)).not.toThrow();
  child.kill('SIGKILL');
  await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
