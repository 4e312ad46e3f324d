import type { ToolOutputContent } from '@longhaul/protocol';
import { INFO, type TestRun, testRun, testTool } from '@longhaul/testing/doubles';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createModelDriver } from '../src/model-driver.ts';
import { startChatServer } from './chat-server.ts';
import { calls, type RawAnswer, refuses, says, sends } from './raw-answers.ts';
import { tested } from './tested-driver.ts';

/** A picture of one pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const OTHER =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

type Body = { messages: { role: string; content?: unknown }[] };

/** Refuses some requests, and answers the others in turn. */
async function serve(refuse: (body: Body, text: string) => RawAnswer | undefined, ...answers: RawAnswer[]) {
  const server = await startChatServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  const accepted: string[] = [];
  server.answer((response) => {
    const text = server.requests.at(-1) ?? '';
    const refusal = refuse(JSON.parse(text), text);
    if (refusal !== undefined) return refusal(response);
    accepted.push(text);
    (answers.shift() ?? says('Done.'))(response);
  });
  const driver = await createModelDriver({
    kind: 'openai-compatible',
    provider: 'local',
    model: 'served-model',
    baseUrl: server.url,
    info: { ...INFO, provider: 'local', model: 'served-model', accepts: { images: true, files: true } },
    ...tested,
  });
  const shots: ToolOutputContent[] = [];
  const look = testTool('look', () => ({
    content: [{ type: 'text', text: 'A picture:' }, ...shots.splice(0)],
  }));
  const test = await testRun(driver, [look]);
  const reported = () => test.of('llm:unsupported-input').flatMap(({ errors }) => errors);
  return { server, accepted, test, shots, reported };
}

const shot = (data: string): ToolOutputContent => ({ type: 'image', data, mediaType: 'image/png' });
const look = (id: string) => calls({ id, arguments: '{}' });
const ask = (test: TestRun, ...content: Parameters<TestRun['runtime']['send']>[1]) =>
  test.runtime.run(test.sessionId, { content: [{ type: 'text', text: 'Look.' }, ...content] });

const HTML_413 = sends(
  [413, { 'content-type': 'text/html' }],
  '<html><head><title>413 Request Entity Too Large</title></head><body>nginx</body></html>',
);

it('sends a line instead of a damaged image, and reports it once', async () => {
  const { test, accepted, server, reported } = await serve(() => undefined);
  const half = PNG.slice(0, 60);
  expect(await ask(test, shot(half))).toMatchObject({ status: 'completed' });
  expect(await ask(test)).toMatchObject({ status: 'completed' });
  expect(server.requests).toHaveLength(2);
  const line = 'An image of type image/png was left out: it is damaged.';
  expect(accepted.every((body) => body.includes(`[${line}]`) && !body.includes('image_url'))).toBe(true);
  expect(reported()).toEqual([line]);
});

describe('a request that is refused because of its content', () => {
  it.each<[string, RawAnswer]>([
    ['an image that cannot be read', refuses(400, 'Could not process image')],
    [
      'an image that is too large',
      refuses(
        400,
        'messages.1.content.1.image.source.base64: image exceeds 5 MB maximum: 5741236 bytes > 5242880 bytes',
      ),
    ],
    ['a body that is too large, by a page', HTML_413],
    ['a body that is too large', refuses(413, 'Payload Too Large')],
    ['an unprocessable image', refuses(422, 'cannot identify image file')],
    ['a text that names nothing', refuses(400, 'Bad Request')],
    ['no server that takes images', refuses(404, 'No endpoints found that support image input')],
    [
      'a local model without a projector',
      refuses(
        500,
        'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
      ),
    ],
    [
      'a server without images, without a known status',
      refuses(501, 'This model does not support image input'),
    ],
  ])('is repeated without the newest image: %s', async (_name, refusal) => {
    const { test, accepted, server, reported } = await serve((_, text) =>
      text.includes(PNG) ? refusal : undefined,
    );
    expect(await ask(test, shot(PNG))).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(server.requests).toHaveLength(2);
    expect(accepted[0]).toContain('[image/png left out: the server refused it; handle m1.1]');
    expect(reported()).toEqual([
      expect.stringMatching(
        /Left out of requests from now on: m1\.1 \(its images and files\)\. To take this back: longhaul undo /,
      ),
    ]);
    // A later request knows it, without another refusal.
    expect(await ask(test)).toMatchObject({ status: 'completed' });
    expect(server.requests).toHaveLength(3);
  });

  it('leaves out the image of a tool, and keeps its text', async () => {
    const { test, accepted, shots } = await serve(
      (_, text) => (text.includes(PNG) ? refuses(400, 'Invalid image data') : undefined),
      look('c1'),
    );
    shots.push(shot(PNG));
    expect(await ask(test)).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(accepted[1]).toContain('A picture:\\n[image/png left out: the server refused it; handle m2.0]');
  });

  it('leaves out all images for a server that accepts none', async () => {
    const { test, accepted, server, shots } = await serve(
      (_, text) =>
        /image_url/.test(text) && server.requests.length > 2
          ? refuses(400, 'This model does not support image input')
          : undefined,
      look('c1'),
    );
    shots.push(shot(OTHER));
    expect(await ask(test, shot(PNG))).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(await ask(test)).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(accepted.at(-1)).not.toContain('image_url');
    expect(server.requests).toHaveLength(4);
  });

  it('leaves out the named part if the newest image is not the cause, which it then keeps', async () => {
    const isRefused = (body: Body) => JSON.stringify(body).includes(OTHER);
    const { test, accepted, server, shots } = await serve(
      (body) =>
        isRefused(body) && server.requests.length > 1
          ? refuses(400, 'messages.1.content.1: image could not be processed')
          : undefined,
      look('c1'),
    );
    shots.push(shot(PNG));
    expect(await ask(test, shot(OTHER))).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(server.requests).toHaveLength(4);
    expect(accepted.at(-1)).toContain(PNG);
    expect(accepted.at(-1)).not.toContain(OTHER);
    const { marks } = await test.store.loadLog(test.sessionId);
    expect(marks.map(({ kind, undoneAt }) => [kind, undoneAt === undefined])).toEqual([
      ['omit', false],
      ['omit', true],
    ]);
  });

  it('leaves out two images, one after the other, if the server names another one each time', async () => {
    const { test, accepted, reported } = await serve(({ messages }, text) => {
      const bad = [PNG, OTHER].find((data) => text.includes(data));
      if (bad === undefined) return undefined;
      const index = messages.findIndex((message) => JSON.stringify(message).includes(bad));
      const parts = messages[index]?.content as object[];
      const part = parts.findIndex((each) => JSON.stringify(each).includes(bad));
      return refuses(400, `messages[${index}].content[${part}]: invalid image`);
    });
    expect(await ask(test, shot(PNG), shot(OTHER))).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(accepted[0]).toContain('handle m1.1]');
    expect(accepted[0]).toContain('handle m1.2]');
    expect(reported()).toEqual([expect.stringContaining('m1.1 (its images and files), m1.2 (its images')]);
  });

  it('replaces a named call and its result, or a named text that was accepted before, by a placeholder', async () => {
    const { test, accepted, reported } = await serve(
      (body) => {
        const call = body.messages.findIndex((message) => 'tool_calls' in message);
        if (call !== -1 && JSON.stringify(body.messages[call]).includes('forbidden'))
          return refuses(400, `Invalid 'messages[${call}].tool_calls[0].function.arguments': not accepted`);
        const text = body.messages.findIndex(({ content }) => String(content).includes('cursed'));
        const isCursed = text !== -1 && accepted.length > 2;
        return isCursed ? refuses(400, `messages.${text}.content: not accepted`) : undefined;
      },
      calls({ id: 'c1', arguments: '{"at":"forbidden"}' }),
    );
    expect(await ask(test)).toMatchObject({ status: 'completed' });
    expect(accepted.at(-1)).toContain('[Call and result left out: the server refused it; handle m2.0]');
    expect(await test.run('a cursed text')).toMatchObject({ status: 'completed' });
    expect(accepted.at(-1)).toContain('a cursed text');
    expect(await test.run('another text')).toMatchObject({ status: 'completed' });
    expect(accepted.at(-1)).toContain('[Text left out: the server refused it; handle m4.0]');
    expect(reported()).toEqual([
      expect.stringContaining('from now on: m2.0 (the call and its result). To take'),
      expect.stringContaining('from now on: m4.0 (the text). To take'),
    ]);
  });

  it('is not repeated without a text of a person that has no answer yet', async () => {
    const { test, server, reported } = await serve((body) => {
      const text = body.messages.findIndex(({ content }) => String(content).includes('cursed'));
      return text === -1 ? undefined : refuses(422, `messages.${text}.content: not accepted`);
    });
    const { status, error } = await test.run('a cursed text');
    expect(status).toBe('failed');
    expect(error?.message).toMatch(/not accepted.*longhaul revert \S+ m1 --conversation$/s);
    expect(server.requests).toHaveLength(1);
    expect(reported()).toEqual([]);
  });

  it.each<[number, string]>([
    [400, 'image: no'],
    [404, 'No endpoints found that support image input'],
    [500, 'image input is not supported'],
  ])('ends the run with advice, and leaves nothing out, if that does not help: %i', async (code, text) => {
    const { test, server, reported } = await serve(() => refuses(code, text));
    const { error, status } = await ask(test, shot(PNG));
    expect(status).toBe('failed');
    expect(error?.message).toContain('set providers.local.models.served-model.accepts.images: false');
    expect(error?.message).toContain(`longhaul revert ${test.sessionId} m1 --conversation`);
    expect(server.requests).toHaveLength(2);
    expect(reported()).toEqual([]);
    const { marks } = await test.store.loadLog(test.sessionId);
    expect(marks.filter(({ undoneAt }) => undoneAt === undefined)).toEqual([]);
  });

  it.each<[string, RawAnswer]>([
    ['refused again', refuses(400, 'messages.1.content.1: something odd')],
    ['not answered', refuses(401, 'Invalid key')],
  ])('leaves nothing out, and reports nothing, if the repeated request is %s', async (_name, second) => {
    const { test, server, reported } = await serve((_, text) =>
      text.includes('left out') ? second : refuses(400, 'messages.1.content.1: something odd'),
    );
    expect(await ask(test, shot(PNG))).toMatchObject({ status: 'failed' });
    expect(server.requests.at(-1)).toContain('left out: the server refused it; handle m1.1]');
    expect(reported()).toEqual([]);
    expect(await test.runtime.undoCompaction(test.sessionId)).toEqual({ status: 'nothing' });
  });

  it('is not repeated if it says nothing about content and its images were accepted before', async () => {
    let isBroken = false;
    const { test, server } = await serve(() =>
      isBroken ? refuses(400, 'Unknown parameter: stream_options') : undefined,
    );
    await ask(test, shot(PNG));
    isBroken = true;
    expect(await ask(test)).toMatchObject({ status: 'failed', error: { code: 'provider_bad_request' } });
    expect(server.requests).toHaveLength(2);
  });

  it('is repeated whole after undo', async () => {
    let isBroken = true;
    const { test, accepted } = await serve((_, text) =>
      isBroken && text.includes(PNG) ? refuses(400, 'bad image') : undefined,
    );
    await ask(test, shot(PNG));
    isBroken = false;
    expect(await test.runtime.undoCompaction(test.sessionId)).toMatchObject({
      status: 'restored',
      handles: ['m1.1'],
    });
    expect(await test.runtime.undoCompaction(test.sessionId)).toEqual({ status: 'nothing' });
    await ask(test);
    expect(accepted.at(-1)).toContain(PNG);
  });
});
