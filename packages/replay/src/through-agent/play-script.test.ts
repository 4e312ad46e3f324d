import type { ChatMessage, Message, Part } from '@longhaul/protocol';
import type { ScriptReply } from '@longhaul/scripted-model';
import { describe, expect, it } from 'vitest';
import { END_OF_RECORDING, playScript, SHORTENED_MARK } from './play-script.ts';
import { recordedPlay } from './recorded-play.ts';

const call = (callId: string, input = {}): Part => ({
  type: 'tool',
  callId,
  name: 'bash',
  input,
  state: 'completed',
});
const say = (text: string): Part => ({ type: 'text', text, state: 'done' });

function scriptOf(...answers: Part[][]) {
  const messages = answers.map(
    (parts, index): Message => ({
      id: `m${index}`,
      sessionId: 's',
      sequence: index + 1,
      role: 'assistant',
      parts,
      status: 'done',
      createdAt: 0,
      tokenCount: 0,
    }),
  );
  const script = playScript(recordedPlay(messages), { countTokens: (text) => Math.ceil(text.length / 4) });
  return async (shown: ChatMessage[], replyTokens = 1_000): Promise<ScriptReply> => {
    const request = { tools: [], model: 'm', number: 1, promptTokens: 1, windowTokens: 4_000 };
    const answer = await script({ ...request, replyTokens, messages: shown, asksForSummary: false });
    return typeof answer === 'string' ? { text: answer } : answer;
  };
}

const user = (content: string): ChatMessage => ({ role: 'user', content });
const asked = (id: string): ChatMessage[] => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'bash', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: id, content: 'ok' },
];
const said = (content: string): ChatMessage => ({ role: 'assistant', content });
const callIds = (reply: ScriptReply) => reply.toolCalls?.map((each) => each.id);

describe('the model of a replay', () => {
  it('continues after the newest answer in the request, and reports the end of the recording', async () => {
    const script = scriptOf([call('a')], [call('b')], [say('done')]);
    expect(callIds(await script([user('go')]))).toEqual(['a']);
    expect(callIds(await script([user('go'), ...asked('a')]))).toEqual(['b']);
    expect((await script([user('go'), ...asked('a'), ...asked('b')])).text).toBe('done');
    expect((await script([user('go'), said('done'), user('more')])).text).toBe(END_OF_RECORDING);
  });

  it('gives the same answer to a repeated request', async () => {
    const script = scriptOf([say('one')], [say('two')], [call('c')]);
    await script([user('go')]);
    expect((await script([user('go')])).text).toBe('one');
    const second = [user('go'), said('one'), user('on')];
    expect((await script(second)).text).toBe('two');
    expect((await script(second)).text).toBe('two');
  });

  it('finds its place after a compaction that hides every answer', async () => {
    const script = scriptOf([say('one')], [say('two')]);
    await script([user('go')]);
    expect((await script([user('go'), said('## Session Summary'), user('on')])).text).toBe('two');
  });

  it('distinguishes answers with the same text', async () => {
    const script = scriptOf([say('ok')], [say('ok')], [say('end')]);
    await script([user('1')]);
    await script([user('1'), said('ok'), user('2')]);
    expect((await script([user('1'), said('ok'), user('2'), said('ok'), user('3')])).text).toBe('end');
  });

  it('answers a request for a summary with a text, and keeps its place', async () => {
    const script = scriptOf([call('a')]);
    expect((await script([user('Summarise the session so far, for yourself.')])).text).toMatch(/ledger/);
    expect(callIds(await script([user('go')]))).toEqual(['a']);
  });

  it('repeats an answer that was cut off, with the recorded id only when it is complete', async () => {
    const script = scriptOf([call('big', { text: 'x'.repeat(8_000) })], [say('end')]);
    const cut = await script([user('go')]);
    expect(callIds(cut)).toEqual(['big~cut1']);
    const whole = await script([user('go'), ...asked('big~cut1')], 3_000);
    expect(callIds(whole)).toEqual(['big']);
    expect((await script([user('go'), ...asked('big')])).text).toBe('end');
  });

  it('shortens an answer that does not fit into an empty window', async () => {
    const script = scriptOf([call('big', { text: 'x'.repeat(40_000) })]);
    await script([user('go')]);
    await script([user('go'), ...asked('big~cut1')]);
    const reply = await script([user('go'), ...asked('big~cut2')]);
    expect(callIds(reply)).toEqual(['big']);
    expect(String(reply.toolCalls?.[0]?.arguments)).toContain(SHORTENED_MARK);
    expect(String(reply.toolCalls?.[0]?.arguments).length).toBeLessThan(4_000);
  });
});
