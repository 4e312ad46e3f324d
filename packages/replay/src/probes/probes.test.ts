import { describe, expect, test } from 'vitest';
import { createMethod } from '../backtest/methods.ts';
import { segmentOf } from '../backtest/recorded-session.ts';
import { filler } from '../backtest/test-support/recorded.ts';
import { readSession } from '../importers/import-session.ts';
import { addProbes, askProbes, isAnswered } from './ask-probes.ts';
import { plantDetails } from './plant-details.ts';
import { detailsFor, PROBE_KINDS } from './planted-details.ts';

function session(steps: number) {
  const messages: object[] = [{ role: 'user', content: 'Look into it.' }];
  for (let index = 0; index < steps; index += 1) {
    const call = {
      id: `c${index}`,
      function: { name: 'read', arguments: `{"path":"src/part-${index}.ts"}` },
    };
    messages.push({ role: 'assistant', content: `Step ${index}.`, tool_calls: [call] });
    messages.push({ role: 'tool', tool_call_id: call.id, content: filler(2_000) });
  }
  return readSession(JSON.stringify(messages)).messages;
}

describe('planted details', () => {
  test('are three of each kind, with other names for another session, and the same for the same one', () => {
    const details = detailsFor(40);
    for (const kind of PROBE_KINDS) expect(details.filter((detail) => detail.kind === kind)).toHaveLength(3);
    expect(detailsFor(40)).toEqual(details);
    const answers = new Set(details.map(({ answer }) => answer.join(' ')));
    expect(answers.size).toBe(12);
    for (const { answer } of detailsFor(41)) expect(answers).not.toContain(answer.join(' '));
  });

  test('are added to the session without a change of its own messages', () => {
    const messages = session(40);
    const { session: planted } = plantDetails(messages);
    const own = planted.messages.filter(({ id }) => !id.startsWith('planted-'));
    expect(planted.messages).toHaveLength(messages.length + 16);
    expect(own.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
    expect(planted.messages.map(({ sequence }) => sequence)).toEqual(
      planted.messages.map((_, index) => index + 1),
    );
  });

  test('are asked for only after they are older than the window, and never before they were planted', () => {
    const { session: planted, probes } = plantDetails(session(40));
    for (const { step, since, age } of probes) {
      expect(step).toBeGreaterThanOrEqual(since);
      expect(age).toBeGreaterThan(0);
      expect(step).toBeLessThan(planted.steps.length);
    }
  });
});

describe('a question', () => {
  const [detail] = detailsFor(1);
  if (detail === undefined) throw new Error('There is no detail.');
  const [topic = '', store = ''] = detail.answer;

  test('is answered by one text that contains all parts near each other', () => {
    const answers = (...texts: string[]) =>
      isAnswered(
        { detail },
        texts.map((text) => segmentOf('user', text)),
      );
    expect(answers(`The data of ${topic} is in ${store}.`)).toBe(true);
    expect(answers(topic, store)).toBe(false);
    expect(answers(`${topic} ${filler(3_000)} ${store}`)).toBe(false);
    expect(answers(topic)).toBe(false);
  });

  test('of a call is answered by its arguments together with its result', () => {
    const view = [segmentOf('result', `Changed ${topic}.`, `{"text":"${store}"}`)];
    expect(isAnswered({ detail }, view)).toBe(true);
  });
});

describe('the questions about a session', () => {
  const planted = plantDetails(session(60));

  test('are all answered by everything, and not by a view without older messages', async () => {
    const everything = await askProbes(planted, createMethod('everything'), 8_000);
    const dropped = await askProbes(planted, createMethod('drop-oldest-80-30'), 8_000);
    for (const kind of PROBE_KINDS) {
      expect(everything.kinds[kind].asked).toBeGreaterThan(0);
      expect(everything.kinds[kind].answered).toBe(everything.kinds[kind].asked);
      expect(dropped.kinds[kind]).toEqual({ asked: everything.kinds[kind].asked, answered: 0 });
    }
    expect(everything.rounds).toBe(0);
    expect(dropped.rounds).toBeGreaterThan(0);
    const both = addProbes([everything, dropped]);
    expect(both.kinds.file.asked).toBe(2 * everything.kinds.file.asked);
  });

  test('are answered by a summary of the engine over several rounds', async () => {
    const { kinds } = await askProbes(planted, createMethod('reactive-overflow'), 16_000);
    expect(kinds.decision.answered / kinds.decision.asked).toBeGreaterThan(0.5);
    expect(kinds.constraint.answered / kinds.constraint.asked).toBeGreaterThan(0.5);
  });
});
