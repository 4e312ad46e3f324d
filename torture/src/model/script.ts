import type { ChatMessage } from '@longhaul/protocol';
import {
  lastUserText,
  type Random,
  type Script,
  type ScriptReply,
  type ScriptToolCall,
  seededRandom,
  textOf,
} from '@longhaul/scripted-model';
import { FINAL, type Item, itemsOf, parseDone, parseMark, parseProgress } from './plan.ts';

/**
 * A model that follows the plan using only the messages in each request. If it cannot see that its last step is
 * complete (after an interrupted call, a compaction or a cut-off answer), it calls `progress` before it does anything
 * again. So the model never causes two effects with one call id.
 */
export const script: Script = ({ messages, number, asksForSummary }) => {
  const random = seededRandom(number);
  if (asksForSummary || SUMMARY.test(lastUserText(messages)))
    return `Until request ${number} the steps were done in order. ${prose(random, 300)}`;
  const place = placeIn(messages);
  if (place === undefined) return ask(number);
  if (place.finish) return place.isSure ? finalAnswer(number, random) : ask(number);
  const mark = parseMark(messages.map(textOf).join('\n'));
  return mark === undefined ? 'I have lost the task.' : doStep(place, { number, random, mark });
};

/** Consecutive user messages are merged on the wire, so the request for a summary may follow other text. */
const SUMMARY = /^Summarise the session so far/m;

interface Place {
  step: number;
  missing: readonly Item[];
  finish: boolean;
  /** Whether `progress` reported it. */
  isSure: boolean;
}

/** Returns undefined if the newest visible calls do not show the progress. */
function placeIn(messages: readonly ChatMessage[]): Place | undefined {
  const last = messages.findLastIndex((message) => (message.tool_calls?.length ?? 0) > 0);
  const results = (messages[last]?.tool_calls ?? []).map(({ id, function: { name } }) => {
    const answer = messages.find((message) => message.tool_call_id === id);
    return { name, text: textOf(answer) };
  });
  const progress = results.find(({ name }) => name === 'progress');
  if (progress !== undefined) {
    const known = parseProgress(progress.text);
    return known && { ...known, isSure: true };
  }
  const effects = results.filter(({ name }) => name === 'effect' || name === 'bash');
  const done = effects.map(({ text }) => parseDone(text));
  const step = done[0]?.step;
  if (step === undefined || done.some((one) => one?.step !== step)) return undefined;
  const finish = done.some((one) => one?.finish === true);
  return { step: step + 1, missing: itemsOf(step + 1), finish, isSure: false };
}

function ask(number: number): ScriptReply {
  const toolCalls = [call(number, 'p', 'progress', { request: number })];
  return { reasoning: `[t${number}] What has been done?`, text: `[r${number}] I look first.`, toolCalls };
}

function finalAnswer(number: number, random: Random): ScriptReply {
  return {
    reasoning: `[t${number}] All is done.`,
    text: `[r${number}] ${FINAL} all steps are done. ${prose(random, 60)}`,
  };
}

interface Telling {
  number: number;
  random: Random;
  mark: string;
}

function doStep({ step, missing }: Place, { number, random, mark }: Telling): ScriptReply {
  const effects = missing.map((item) => {
    if (item !== 's')
      return call(number, item, 'effect', { step, item, words: sometimes(random, 0.3) ? 1500 : 60 });
    return call(number, item, 'bash', { command: command(`c${number}-s`, step, { random, mark }) });
  });
  const others: ScriptToolCall[] = [];
  if (step % 2 === 1)
    others.push(call(number, 'w', 'write', { path: `notes/${step % 9}.md`, content: prose(random, 500) }));
  if (step % 4 === 1) others.push(call(number, 'i', 'picture', { step }));
  if (step % 5 === 0) others.push(call(number, 't', 'todo', { items: todo(step) }));
  return {
    reasoning: `[t${number}] ${prose(random, 150)}`,
    text: `[r${number}] ${prose(random, step % 7 === 0 ? 9_000 : 100 + random() * 700)}`,
    toolCalls: [...others.slice(0, 1), ...effects, ...others.slice(1)],
  };
}

/** Creates a call with a unique id: the server counts requests across all lives of the agent. */
function call(number: number, key: string, name: string, args: ScriptToolCall['arguments']): ScriptToolCall {
  return { id: `c${number}-${key}`, name, arguments: args };
}

/**
 * Returns a command that records its effect first, then takes time, prints output and starts two processes that do not
 * end by themselves. One of them records that it is still running.
 */
function command(callId: string, step: number, { random, mark }: Pick<Telling, 'random' | 'mark'>): string {
  const line = `{"callId":"${callId}","step":${step},"item":"s","at":'$(date +%s%3N)',"by":"shell '$$'","life":'$LIFE'}`;
  const tick = `{"callId":"${callId}","life":'$LIFE',"at":'$(date +%s%3N)'}`;
  const lines = sometimes(random, 0.4) ? 2_500 : 40;
  const pause = (random() * 0.25).toFixed(2);
  const running = `while :; do echo '${tick}' >> ticks.jsonl; sleep 0.05; done & sleep 900.${mark} &`;
  return `echo '${line}' >> effects.jsonl; ${running} seq 1 ${lines}; sleep ${pause}; echo done ${step}.s`;
}

function todo(step: number) {
  return [
    { text: `Steps before ${step}`, status: 'done' },
    { text: `Step ${step}`, status: 'in_progress' },
    { text: 'All later steps', status: 'pending' },
  ];
}

function sometimes(random: Random, share: number): boolean {
  return random() < share;
}

const WORDS = [
  'the',
  'step',
  'prüft',
  'Größe',
  'läuft',
  '🙂',
  'über',
  'file',
  '测试',
  'again',
  'und',
  'weiter',
];

function prose(random: Random, chars: number): string {
  let text = '';
  while (text.length < chars) text += `${WORDS[Math.floor(random() * WORDS.length)]} `;
  return text.trimEnd();
}
