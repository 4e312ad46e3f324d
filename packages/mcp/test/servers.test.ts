import { mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseBlobReference } from '@longhaul/protocol';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { answer, calls } from '@longhaul/testing/doubles';
import { describe, expect, it } from 'vitest';
import { callOnce, exampleServer, openRun, resultsOf } from './run-with-servers.ts';

describe('server-everything', () => {
  it('offers its tools under its name, and their results reach the model', async () => {
    await using served = await openRun(
      { every: exampleServer('everything') },
      callOnce('every_echo', { message: 'hello' }),
    );
    await served.run.run('Go');
    expect(resultsOf(served)).toEqual(['Echo: hello']);
    const echo = served.driver.requests[0]?.tools.find(({ name }) => name === 'every_echo');
    expect(echo).toMatchObject({
      description: expect.any(String),
      parameters: { type: 'object', required: ['message'] },
    });
    expect(served.run.of('llm:tool-result')[0]).toMatchObject({
      title: 'every: echo',
      metadata: { server: 'every', tool: 'echo' },
    });
    expect(served.pool.report(served.run.sessionId)).toMatchObject([
      { name: 'every', state: { status: 'ready' } },
    ]);
  });

  it('has its images stored as blobs, and sent to the model', async () => {
    const blobs = createMemoryBlobStore();
    await using served = await openRun(
      { every: exampleServer('everything') },
      callOnce('every_get-tiny-image'),
      { blobs },
    );
    await served.run.run('Go');
    const stored = served.run.of('llm:tool-result')[0]?.sanitized.find(({ type }) => type === 'image');
    const id = parseBlobReference(stored?.type === 'image' ? stored.data : '');
    const bytes = Buffer.from(await blobs.get(id ?? ''));
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    const sent = JSON.stringify(served.driver.requests.at(-1)?.messages);
    expect(sent).toContain(bytes.toString('base64'));
  });

  it('has structured content, resources and links as text', async () => {
    await using served = await openRun({ every: exampleServer('everything') }, [
      calls({ name: 'every_get-structured-content', input: { location: 'Chicago' } }),
      calls({ name: 'every_get-resource-reference', input: { resourceType: 'Text', resourceId: 1 } }),
      calls({ name: 'every_get-resource-links', input: { count: 2 } }),
      answer('Done.'),
    ]);
    await served.run.run('Go');
    const [structured, reference, links] = resultsOf(served);
    expect(structured).toContain('temperature');
    expect(served.run.of('llm:tool-result')[0]?.metadata).toHaveProperty('structured.temperature');
    expect(reference).toMatch(/\[demo:\/\/resource\/\S+\]\n/);
    expect(links?.match(/\[resource .*demo:\/\//g)).toHaveLength(2);
  });

  it('has its resources listed and read', async () => {
    await using served = await openRun({ every: exampleServer('everything') }, [
      calls({ name: 'mcp_resource' }),
      calls({ name: 'mcp_resource', input: { uri: 'demo://resource/dynamic/text/7' } }),
      calls({ name: 'mcp_resource', input: { server: 'other', uri: 'demo://x' } }),
      calls({ name: 'mcp_resource', input: { uri: 'demo://nowhere' } }),
      answer('Done.'),
    ]);
    await served.run.run('Go');
    const [list, read, unknown, missing] = resultsOf(served);
    expect(list).toMatch(/^every demo:\/\/resource\//m);
    expect(read).toContain('[demo://resource/dynamic/text/7]\n');
    expect(unknown).toContain('`server` must be one of every');
    expect(missing).toContain('The MCP server every refused');
  });

  it('reports its progress', async () => {
    const input = { duration: 0.2, steps: 2 };
    await using served = await openRun(
      { every: exampleServer('everything') },
      callOnce('every_trigger-long-running-operation', input),
    );
    await served.run.run('Go');
    expect(served.run.of('llm:tool-progress')).toContainEqual(
      expect.objectContaining({ title: '1 of 2', metadata: { progress: 1, total: 2 } }),
    );
  });

  it('gets no variable of this process but those that are harmless or configured', async () => {
    const settings = { ...exampleServer('everything'), env: { GIVEN: '$' + '{NOT_SET:-nobody}' } };
    const host = { ...process.env, OPENAI_API_KEY: 'sk-secret', AWS_PROFILE: 'x' };
    await using served = await openRun({ every: settings }, callOnce('every_get-env'), { pool: { host } });
    await served.run.run('Go');
    const env = JSON.parse(resultsOf(served)[0] ?? '{}');
    expect(env).toMatchObject({ GIVEN: 'nobody', PATH: expect.any(String) });
    expect(env).not.toHaveProperty('OPENAI_API_KEY');
    expect(env).not.toHaveProperty('AWS_PROFILE');
  });

  it('offers only the tools that its settings and the agent allow', async () => {
    const settings = { ...exampleServer('everything'), tools: ['echo', 'get-*'] };
    await using served = await openRun({ every: settings }, [answer('Done.')], {
      agentFor: () => ({
        tools: [],
        allowsTool: (_, name) => name.includes('image') || name.includes('echo'),
      }),
    });
    await served.run.run('Go');
    expect(served.driver.requests[0]?.tools.map(({ name }) => name)).toEqual([
      'every_echo',
      'every_get-tiny-image',
    ]);
  });
});

it('server-filesystem writes a file that server-memory does not know', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-mcp-')));
  await writeFile(join(folder, 'a.txt'), 'one');
  const servers = {
    fs: exampleServer('filesystem', folder),
    memory: { ...exampleServer('memory'), env: { MEMORY_FILE_PATH: join(folder, 'memory.json') } },
  };
  const entity = { name: 'Longhaul', entityType: 'program', observations: ['is patient'] };
  await using served = await openRun(servers, [
    calls({ name: 'fs_write_file', input: { path: join(folder, 'b.txt'), content: 'two' } }),
    calls({ name: 'fs_list_directory', input: { path: folder } }),
    calls({ name: 'fs_list_allowed_directories' }),
    calls({ name: 'memory_create_entities', input: { entities: [entity] } }),
    calls({ name: 'memory_read_graph' }),
    answer('Done.'),
  ]);
  await served.run.run('Go');
  const [, list, allowed, , graph] = resultsOf(served);
  expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('two');
  expect(list).toContain('[FILE] b.txt');
  // The server's roots are the workspace of the session.
  expect(allowed).toBe('Allowed directories:\n/');
  expect(graph).toContain('is patient');
});
