import type { LocalServer } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { localModelNamed } from './local-model.ts';

const server = (name: 'ollama' | 'lmstudio', ...ids: string[]): LocalServer => ({
  name,
  kind: name,
  baseUrl: 'http://127.0.0.1:1/v1',
  models: ids.map((id) => ({ id, loaded: false, source: 'ollama' })),
});
const SERVERS = [
  server('ollama', 'qwen3:8b', 'llama3:latest', 'both'),
  server('lmstudio', 'qwen/qwen3-8b', 'both'),
];
const unknown = new LonghaulError('unknown_model', 'Unknown.');
const find = (name: string, servers = SERVERS) => localModelNamed(name, unknown, async () => servers);

it.each([
  ['qwen3:8b', 'ollama/qwen3:8b'],
  ['llama3', 'ollama/llama3:latest'],
  ['qwen/qwen3-8b', 'lmstudio/qwen/qwen3-8b'],
])('finds %s on the server that has it', async (name, full) => expect(await find(name)).toBe(full));

it('refuses a name that several servers or no server has, and lists their models', async () => {
  await expect(find('both')).rejects.toThrow('Name one: ollama/both, lmstudio/both.');
  await expect(find('qwen3:9b')).rejects.toThrow(
    /^Unknown\. Did you mean "qwen3:8b"\? Servers .* have ollama\/qwen3:8b, /,
  );
  await expect(find('qwen3:8b', [])).rejects.toBe(unknown);
});
